package compile

// The English lists of words that cues name, and the words of the screens.

// englishLists are what <we> and its like stand for in the cues.
const englishLists = `sorry = sorry/my_mistake/my_bad/oops/whoops/apologies/pardon
org = the_kids/the_children/my_parents/my_wife/my_husband/my_partner/the_family/my_boss/the_architecture_group/the_architecture_board/the_board
	/our_board/the_committee/the_steering_group/the_steering_committee/legal/our_lawyers/management/leadership/the_client/our_client/the_customer
	/our_customer/the_council/the_security_team/finance/hr/the_product_team/the_design_team/procurement/the_jury/the_panel/the_working_group/the_review
	/the_reviewers/our_boss/my_boss/my_manager/the_landlord/our_landlord/the_editor/the_publisher/my_advisor/my_supervisor/the_school/the_department
	/the_leads
we = we/i/the_team/our_team/we_all/everyone/everybody/you_and_i/the_group/all_of_us/both_of_us/my_wife_and_i/my_husband_and_i/my_partner_and_i
	/my_team/my_family
we = <org>
us = we/the_team/our_team/we_all/you_and_i/all_of_us/both_of_us
are = are/am/is/were/was
adv = just/finally/also/now/already/all/both/really/ultimately/then/definitely/officially/collectively/jointly/unanimously/eventually/recently
	/mutually/hereby/together/deliberately/explicitly/once_and_for_all/in_the_end/long_ago/instead/only/have/today/yesterday/has/formally/firmly
	/therefore/since/successfully/of_course/simply/completely/fully/at_last
most = really/much/strongly/generally/usually/still/always/personally/now/very_much/highly/greatly/definitely/also/do/by_far/simply/just/honestly
	/actually/absolutely/quite/particularly/especially/kind_of/normally/tend_to/typically/mostly/rather/clearly/vastly
please = please/do/just/so/and/also/kindly/you_should/you_must/make_sure_to/make_sure_you/make_sure/be_sure_to/i_want_you_to/i_would_like_you_to
	/i_need_you_to/you_need_to/try_to/you_will_want_to/you_may_want_to/you_might_want_to/it_would_help_if_you/it_would_be_good_if_you
	/it_would_be_great_if_you/i_would_appreciate_it_if_you/we_should/we_must/we_need_to/let_us/always
ask = can_you/could_you/would_you/will_you/can_we/could_we/can_i_ask_you_to/may_i_ask_you_to/would_you_mind/do_you_mind
rem = remembering/noting/keeping_in_mind/writing_down/making_a_note/remember/note/memorize/keep_in_mind/bear_in_mind/take_note/make_a_note/remembered
	/kept_in_mind/not_forget/record/jot_down/note_down/write_down/take_down
use = use/go_without/go_with/go_for/stick_with/stick_to/switch_to/switch_over_to/adopt/keep/settle_on/standardize_on/migrate_to/move_to/move_off/move_away_from
	/replace/drop/support/deprecate/host/store/ship/release/deploy/build_on/base/rely_on/target/pin/start_with/retire/stay_with/stay_on/cap/limit
	/require/ban/skip/freeze/license/publish/postpone/merge/split/rename/treat/leave/cut/sunset/own/no_longer/stop_supporting/stop_using/hire/rent/buy
	/sign_with/charge/hold/meet/phase_out/throw_out/get_rid_of/do_without/run_on/write_it_in/do_it_in/do_the/have_the/submit_to/publish_in/apply_to
	/have_the/call_it/name_it
using = going_with/going_for/sticking_with/sticking_to/switching_to/switching_from/switching_over_to/moving_to/moving_from/moving_off
	/moving_away_from/migrating_to/migrating_from/dropping/adopting/standardizing_on/keeping/replacing/settling_on/deprecating/sunsetting/retiring
	/staying_with/staying_on/freezing/launching_with/renaming/ditching/abandoning/killing/postponing/cancelling/canceling/phasing_out/throwing_out
	/getting_rid_of/delaying/outsourcing/rewriting/consolidating/going_back_to/rolling_back_to/ending/shutting_down/hiring/pausing/discontinuing
	/limiting/capping/banning/requiring/going_ahead_with/going_ahead/scrapping/cutting/axing/shelving/proceeding_with/splitting/taking_up/accepting
	/going_w/giving_up_on/holding_off_on/signing_with
chose = chose/chosen/picked/selected/opted_for/opted_to/gone_with/went_with/gone_for/went_for/committed_to/standardized_on/adopted/ruled_out/ruled
	/rejected/approved/dropped/ditched/abandoned/scrapped/voted_for/voted_to/voted_against/elected_to/resolved_to/signed_off_on/turned_down/green-lit
	/greenlit/vetoed/green-lighted/okayed/cancelled/canceled/shelved/postponed/signed_with/booked/accepted/declined/given_the_go-ahead/gave_the_go-ahead
	/gave_its_blessing/gave_their_blessing/gave_his_blessing/gave_her_blessing/signed_off/greenlighted/pulled_the_plug/froze/frozen
fixed = fixed/deployed/merged/migrated/refactored/implemented/shipped/released/upgraded/patched/resolved/rebased/reverted/committed/pushed/published
	/renamed/rewrote/rewritten/configured/installed/debugged/automated/documented/enabled/disabled/optimized/validated/dockerized/instrumented/bumped
	/ported/replaced/converted/integrated/rotated/restored/repaired/corrected/redeployed/provisioned/archived/extracted/downgraded/rolled_back
	/rolled_out/wired_up/hooked_up/squashed/backported/parallelized/normalized/silenced/unblocked/containerized/cherry-picked/backfilled/localized
	/reindexed/decommissioned/reinstalled/onboarded/tuned/rerouted
made = added/removed/deleted/created/updated/changed/wrote/written/set_up/finished/completed/built/moved/made/cleaned_up/closed/switched/registered
	/submitted/generated/split/put_together/introduced/sorted_out/cut_over/swapped/reduced/translated/imported/exported/uploaded/drafted/sent/delivered
	/wrapped_up/drew_up/recorded/prepared/signed/turned_on/turned_off/tightened/reworked/raised/lowered/ordered/booked/filed/launched/trained/tagged
	/simplified/unified/consolidated/reorganized/restructured/broken_up/broke_up/hardened/designed/filled_in/moved_over/redone/redid/painted/handed_in
	/turned_in/mailed/posted/paid/printed/planted/hung/assembled/sewed/soldered/labelled/labeled/annotated/scanned/transcribed/edited/cleaned/organized
	/mounted/shut_down/switched_off/switched_on/transferred/connected/linked/cancelled/canceled/renewed/scheduled/sold/bought/hired/announced/put_up
	/taken_down/took_down/laid/rebuilt/recalibrated/calibrated/reset/reconciled/balanced/passed/defended/filed/invoiced/packed/shot/cut/proofread
past = fixed/deployed/merged/migrated/refactored/implemented/shipped/released/upgraded/patched/resolved/rebased/reverted/committed/pushed/published
	/renamed/rewrote/configured/installed/debugged/documented/enabled/disabled/bumped/ported/replaced/converted/rotated/restored/repaired/corrected
	/redeployed/provisioned/archived/extracted/downgraded/rolled_back/rolled_out/wired_up/hooked_up/squashed/backported/silenced/unblocked/backfilled
	/reindexed/decommissioned/reinstalled
past = added/removed/deleted/created/updated/changed/wrote/finished/completed/built/moved/cleaned_up/closed/switched/registered/submitted/generated
	/introduced/sorted_out/swapped/translated/imported/exported/uploaded/drafted/sent/delivered/wrapped_up/drew_up/recorded/signed/turned_on/turned_off
	/tightened/reworked/raised/lowered/ordered/booked/filed/launched/tagged/simplified/consolidated/broke_up/filled_in/moved_over/redid/painted
	/handed_in/turned_in/mailed/posted/printed/planted/assembled/soldered/labelled/annotated/scanned/transcribed/cleaned/mounted/switched_off
	/switched_on/transferred/connected/renewed/bought/hired/announced/took_down/rebuilt/recalibrated/reconciled/passed/cut_over_to/invoiced/packed
	/proofread/got_rid_of
telic = finished/completed/merged/deployed/released/shipped/fixed/painted/written/uploaded/handed_in/handed_over/submitted/printed/paid/booked/signed
	/sent/sent_out/labelled/labeled/annotated/filed/translated/migrated/installed/implemented/resolved/published/accepted/archived/scanned/transcribed
	/proofread/refactored/rewritten/rolled_out/switched_off/decommissioned/taken_down/wrapped_up/cleared/powered_down/delivered/assembled/planted/tiled
	/repaired/restored/rebuilt/reindexed/backfilled/reconciled/renewed/transferred/done_and_dusted/sorted_out/paid_off/out_the_door/upgraded/moved
	/replaced/cleaned_up
part = fixed/deployed/merged/released/completed/finished/shipped/resolved/implemented/rolled_out/migrated/published/upgraded/removed/added/updated
	/installed/renamed/set_up/moved/replaced/created/reverted/patched/rewritten/documented/closed/signed_off/restored/rotated/enabled/disabled/deleted
	/wrapped_up/translated/archived/cleaned_up/refactored/painted/written/uploaded/handed_in/handed_over/accepted/switched_off/switched_on/switched_over
	/turned_off/turned_on/shut_down/submitted/sent/sent_out/mailed/printed/paid/booked/ordered/delivered/signed/posted/recorded/built/tested_and_merged
	/annotated/labelled/labeled/scanned/imported/exported/converted/connected/hooked_up/mounted/assembled/repaired/filed/launched/registered/renewed
	/cancelled/canceled/transferred/decommissioned/done_and_dusted/taken_down/put_up/laid/tiled/planted/edited/proofread/transcribed/reconciled/balanced
	/ported/split_up/pushed/tagged/rebuilt/reindexed/backfilled/provisioned/confirmed/cleared/sorted/sorted_out/on_its_way/powered_down/powered_off
	/redesigned/reworked/simplified/unified/consolidated/automated/renovated/configured/integrated/reorganized/shut_off/opened_to_the_public/opened/paid_off/out_the_door
wrong = wrong/incorrect/mistaken/not_right/not_correct/not_true/not_accurate/outdated/out_of_date/a_misprint/not_quite_right/not_what_i_said
	/not_what_i_meant/a_typo/a_mistake/false/inaccurate/stale/swapped/reversed/backwards/the_wrong_way_round/mixed_up/not_quite_correct/not_up_to_date
work = use/write/work/go_with/run/keep/name/call/code/format/commit/rebase/squash/deploy/test/start/put/prefix/avoid/read/log/target/indent/sign/end
	/review/structure/develop/ship/type/drink/take/need/eat/book/fly/sit/buy/pay/wear
imperative = use/run/write/add/include/check/ask/commit/push/deploy/merge/rebase/squash/test/mock/read/validate/keep/put/call/give/send/generate
	/apologize/explain/repeat/start/end/summarize/rename/address/quote/translate/answer/reply/respond/create/introduce/wrap/import/sugarcoat/assume
	/abbreviate/hardcode/rewrite/make/store/log/return/throw/catch/cache/prefer/name/format/indent/sign/cite/link/show/print/round/sort/escape/pin/lock
	/update/upgrade/install/delete/remove/drop/edit/touch/modify/change/open/close/build/ship/release/schedule/book/order/cc/copy/paste/leave/skip/avoid
	/trust/sync/back_up/backup/double-check/document/comment/review/approve/suggest/propose/offer/recommend/talk/speak/set/define/declare/export/expose
	/query/fetch/load/save/restart/reboot/reset/measure/benchmark/profile/verify/confirm/spell/capitalize/mention/refer_to/write_out/shorten/work_on/go
	/disable/enable/ignore/turn/leave_out/tell/stick_to/stay/number/list/plan/pick/choose/attach/insert/bring/hand/phrase/describe/state/lead_with/begin
	/finish/follow/limit/cut/target/default_to/guess/invent/make_up/share/post/publish/mix/bother_me/wake_me/ping/contact/email/call_me/message/cook/buy
whenever = whenever/every_time/each_time/any_time/anytime/at_all_times/as_a_rule/by_default/in_general/in_all_cases/across_the_board/everywhere
	/from_now_on/in_future/in_the_future/going_forward/all_the_time/on_every/in_every/in_all/for_all/for_every/with_every/in_any/on_any/on_all/for_any
	/without_asking/without_exception/unless_i/unless_we/on_my_behalf/in_this_repo/in_this_project/in_this_codebase/in_our/for_me/not_even/before_every
	/after_every/before_each/after_each/before_any
date = next_week/next_month/next_year/next_quarter/next_sprint/next_release/next_version/next_semester/this_week/this_month/this_year/this_quarter
	/this_sprint/this_release/this_version/the_next_release/the_next_version/the_first/q1/q2/q3/q4/tomorrow/today/version/release
date = monday/tuesday/wednesday/thursday/friday/saturday/sunday/january/february/march/april/may/june/july/august/september/october/november/december
	/summer/autumn/winter/spring/fall
verb = is/are/was/were/has/have/uses/use/runs/run/lives/live/goes/starts/ends/means/belongs/needs/takes/costs/should/comes/returns/expires/listens
	/points/sits/works/stands/opens/closes/wants/gets/holds/allows/accepts/does/do/reads/says/sends/owns/reports/equals/covers/applies/fits/concerns
	/refers/contains/includes/carries/happens/begins/stores/defaults/expects/counts/falls/arrives/leaves/lasts/weighs/handles
mess = a_mess/chaos/a_disaster/slow/flaky/down/late/wrong/broken/empty/unusable/unstable/delayed/lost/off/missing/corrupt/corrupted/a_failure/useless
	/stuck/blank/out_of_sync/rejected/overloaded/inconsistent/ruined/burnt/too_slow/a_nightmare/a_flop/incomplete/skewed/blurry/painful/low/high/bad
	/poor/weak/too_low/too_high/too_late/too_short/doubled/duplicated/stale/locked/red
fail = failed/fails/broke/breaks/crashed/crashes/hung/hangs/happened/happens/went_down/timed_out/stopped_working/did_not_work/died/leaked/yellowed
	/wilted/collapsed/stalled/burned/burnt/flopped/slipped/cracked/leaks/overheated/tripped/flaked/disappeared/vanished/exploded/cost_us/took_so_long
	/went_wrong/ran_out/froze/jammed/deadlocked/got_lost/got_stuck/rejected/kept_failing/kept_crashing/kept_timing_out/peeled/drifted/was_failing
	/was_crashing/were_failing/was_slow/were_slow/dropped/doubled/spiked/missed/dried_out/warped/sagged/came_out_wrong/fell_apart/fell_over/backfired
	/bounced/blew_up/blew_out/degraded
why = because/because_of/bc/since/as/due_to/for_the_same_reason/cause/owing_to/thanks_to/on_account_of/when_we_forgot
`

// speakersHere may stand behind a phrase that opens a sentence.
var speakersHere = []string{"we", "i", "let us", "it turned", "it turns", "our team", "the team", "我们", "我", "咱们", "咱", "大家", "团队"}

// whileHan end a phrase of time, behind which what is said begins.
var whileHan = []string{"的时候", "时", "之前", "之后", "以前", "以后"}

// leadsIn begin such a phrase.
var leadsIn = wordSet(`from instead of starting beginning effective under within despite in at after during on for with given based as per until following by upon regarding concerning about due this these last when whenever having my before`)

// englishOpenings may stand before a clause that counts.
const englishOpenings = `ok okay so well right yes yeah yep alright all_right also and but then now please anyway great cool sure fine honestly btw finally lastly first second third next
thus therefore hence hey hi hello thanks good agreed basically oh um hmm look listen by_the_way for_the_record to_be_clear in_the_end after_all as_discussed as_agreed just_so_you_know
one_more_thing one_thing as_i_said in_short in_summary yesterday today tonight earlier recently last_week last_month last_year this_morning this_week this_afternoon because since
good_news great_news perfect awesome nice excellent got_it understood happy_to_report i_am_happy_to_report i_am_happy_to_say we_are_happy_to_announce we_are_pleased_to_announce just_to_let_you_know let_you_know
wanted_to_let_you_know just_wanted_to_let_you_know quick_update quick_note status_update update as_of_today at_this_point for_now at_the_moment tl;dr tldr ps p.s also_note additionally moreover furthermore besides
overall however still instead actually wait hang_on hold_on on_monday on_tuesday on_wednesday on_thursday on_friday on_second_thought while whereas although though plus unfortunately fortunately luckily sadly
after_some_discussion after_a_long_discussion after_much_discussion long_story_short that_said generally claude assistant i_think_it_is_clear that which morning_all morning good_morning heads_up heads-up fyi ah hm
small_thing just one_last_thing minor_thing phew yay hooray whew turns_out_fine tonight last_night this_evening yesterday_evening`

// englishNotOurs before a cue make it the words or the wish of somebody else,
// or no statement.
const englishNotOurs = `he_said she_said they_said said says he_told she_told told_me told_us tells claims claimed he_wrote she_wrote he_writes she_writes writes_that suggests suggested_that insists reckons according_to reportedly apparently allegedly rumor rumour
he_thinks she_thinks they_think thinks believes replied announced_that asked asks asking mumbled i_heard we_heard i_read heard_that read_that
maybe perhaps possibly probably not_sure wondering wonder i_wish hopefully i_hope i_doubt doubt hypothetically in_theory pretend imagine suppose supposing let_us_say what_if as_if
for_example for_instance e.g such_as like_saying example novel movie film story character book article blog song lyrics poem podcast headline survey interviewer episode
i_can_not_say would_have could_have might may_have he_wants she_wants they_want what_was tell_me_what want_to_know wants_to_know someday some_day one_day
in_python in_go in_java in_javascript in_rust in_sql in_c in_postgres in_theory i_thought we_thought i_dreamed i_dreamt once_upon almost_decided nearly_decided not_sure_if what_would what_happens leaning_towards leaning_toward whoever`

// englishOthers before a cue of a decision, a preference or work make it that
// of people who are not here.
const englishOthers = `he she they his her their neighbor neighbour neighbors neighbours the_author the_guy that_guy some_guy the_speaker somebody someone people who nobody`

// englishFar are known to everybody and have nothing to do with who speaks.
const englishFar = `apple google microsoft amazon meta facebook netflix tesla nintendo sony openai nvidia intel ibm twitter spacex samsung disney the_president the_government congress parliament scientists researchers`

const englishConditions = `if unless whether in_case provided assuming assume should_we depending`

// englishTimes before work or a decision say that it is yet to come.
const englishTimes = `once until as_soon_as when whenever before_we after_we while_we by_the_time the_moment`

const englishLater = `if unless depending provided assuming whether in_case only_when once`

const englishTakenBack = `just_kidding jk kidding not_really or_not or_maybe maybe_not i_guess i_suppose i_am_not_sure not_sure changed_our_mind changed_my_mind changed_our_minds but_then scratch_that never_mind nevermind
or_something he_said she_said they_said he_says she_says they_say said_my says_my no_longer_true in_my_dream reverted_it rolled_it_back but_reverted but_it_failed is_not_done_yet not_yet but_not_really what_do_you_think
does_that_sound is_that_ok we_will_see let_us_see have_not_decided not_decided but_we_dropped but_that_changed i_think maybe perhaps probably lol haha according_to as_everyone_knows sleep_on_it it_says_here i_read still_open i_wonder good_times says_here`

// englishUnfinished anywhere make work that was done in part.
const englishUnfinished = `not_finished not_done unfinished halfway half_done half-done partially partly still_missing still_need still_needs still_have still_has still_to_do are_left is_left remaining failed could_not can_not unable next_up not_yet
then_ci almost_done nearly_done to_go first_two first_three of_the_five but_it_is_not still_open still_waiting are_missing is_missing the_rest_is the_rest_follows far_from but_lost nothing_works everything_broke will_not_start by_accident by_mistake going_to_be would_be should_be will_be below above the_question shall_i should_i`

// englishFuture before work say that it is yet to come.
const englishFuture = `tomorrow next_week next_month soon`

// englishAbout are requests to work on words: those that follow are material.
const englishAbout = `translate_this translate_the translate_into rewrite_this rephrase paraphrase proofread summarize_this summarize_the_following how_do_you_say how_do_i_say how_would_you_say what_does_it_mean spell-check correct_this_sentence
fix_the_grammar grammar_of write_an_email write_a_story write_a_sentence write_an_essay write_a_letter draft_an_email draft_a_message write_a_poem write_a_blog write_a_tweet in_french_is the_phrase the_sentence the_word the_string the_text_says the_button
the_message_says the_log_says the_error_says the_error_message the_docs_say the_documentation_says the_readme_says the_form_says the_column the_dialog the_checkbox the_headline_says eslint_says the_failing_assertion here_is_a_draft
well_done question_in_the_survey the_label the_enum the_commit_message alter_table todo_: fixme translate_:`

// vagueWords name nothing.
var vagueWords = wordSet(`thing things stuff something anything everything nothing one ones way ways lot bit kind sort it that this these those them they you me us him her i we my our your his
	now then here there today yesterday again too already later soon just really very so well also still ok okay fine great good nice cool sure yes no thanks thank please lol haha right wrong
	done be is are was were been being do does did have has had will would can could should to of in on at for with by from as and or but not if what which who how why when where
	case time moment while people someone everyone anyone else such same different other another more most much many some any all each every both few half idea point sense
	actually definitely totally absolutely certainly certain indeed maybe perhaps ever never always yet even only quite rather pretty instead both either neither together`)

// englishVagueStarts begin an object that names nothing or settles nothing.
const englishPast = `when_we when_i when_you when_it when_the the_time the_days those_days last_time back_when how_we how_i`

const englishVagueStarts = `reach_out share_a count_on searching working_together working_hard the_good_vibes good_vibes not_talk not_discuss not_think not_go not_do not_what not_how not_it example instance i_will_go i_will_exercise i_will_try i_will_be i_will_do i_am_going_to_try i_want_to_be pushing_each going doing_our doing_what trying moving_forward at_it it_up it_light my_spirits not_to_answer disagree meet_again postpone_the_decision have_lunch have_dinner go_for_a the_wrong this_time it_or in_touch an_eye unknown unclear still_unclear still_unknown left_as about all_the_help back myself them show_you be_a be_the a_typo a_mistake where_this where_it the_flow when_you_get when_you_are when_it_is the_other hard_to my_mind the_mouse_and it_to it_from it_in you_a you_an you_the remember you_to_remember how_this how_that how_it what_we what_i what_you what_to how_to whether if nothing if_we if_i not_to_say to_disagree
hear see_what think that_way know this_is that_is it_is_fine it_is_ok it_is_good you_are_right i_think you_too how_you your_idea the_idea this_idea that_idea your_work your_style your_help it_here it_there it_when_you_are it_that_way the_way_you me_when me_if me_later me_tomorrow me_back me_know him her us_know them
ask_you see_how wait_and_see to_be_honest seen heard been knew known wondered thought wanted_to meant_to sorry_for learn_more help_you thank that_you this_one that_one the_other_one the_first_one the_second_one
the_look the_sound a_pleasure pleased problem worries mind idea fun yes thanks no_idea no_problem no_worries no_thanks no_way no_doubt all_of_it some_of_it nothing_of what why later wait talk discuss meet on_nothing something_else anyway none neither
it_is_fine it_is_ok it_is_good i_do_not i_am_not i_can_not i_have_not i_did_not well no_harm say tell_you get_back it_as_a lunch coffee bed home
lie make_it a_feature a_bug a_marathon rocket a_big_deal a_problem by by_the crazy back_later tomorrow maybe luck questions excuses worries
just only easy sure up give_up enough ideal perfect take_a_break take_a_walk take_a_nap get_a_coffee get_coffee grab have_lunch have_a_coffee call_it_a_day call_it_a_night say_never breathe builds_took yet mean_to mean_well intend ask mention`

// englishReactions begin what "I love" is said of when it answers to the moment.
const englishReactions = `this that these those it them your his her their the_first the_second the_third the_last the_other the_new the_way the_idea the_look
the_sound the_feeling the_vibe the_thought how when what being spending seeing hearing watching meeting knowing everything all_the you him everyone`

// englishPlatitudes make "remember" a kind word and no fact.
const englishPlatitudes = `yourself your_heart believe dream dreams passion positive journey motivated motivation relax breaks self-care small_victory
every_victory every_step small_things little_things too_late takes_time stumbling joy always_here here_for_you count_on_me not_alone a_new_beginning new_day smile
good_care enjoy have_fun proud strong determination one_day_at_a_time keep_going happiness`

// englishFeelings are no matter of right and wrong.
const englishFeelings = `angry tired hungry thirsty sad happy mad bored sleepy excited upset lonely not_just not_only not_merely not_simply not_too not_alone principle my_life not_about`

// englishMeeting follows what happened since two people met.
const englishMeeting = `since_we_last since_we_talked since_we_met since_we_spoke since_we_chatted since_then since_our_last since_last since_i_last since_you_last`

const englishReasons = `because since the_reason reason that_is_because this_is_because the_main_reason main_reason mainly_because mostly_because due_to the_rationale rationale why otherwise that_way this_way as_it as_this reasons`

const englishStating = `is are was were should has have had uses use runs lives goes starts means not belongs needs takes costs returns expires points works says owns does moved reports handles equals sits listens comes called named wants holds
spelled stands wipes counts`

// technicalWords are of work with computers.
var technicalWords = wordSet(`bug test api server database db deploy deployment endpoint script branch pr build pipeline config configuration schema migration cache login doc documentation dashboard module
release feature repo repository code commit backend frontend ui ux library framework package dependency query table folder function method
variable parameter linter lint formatter compiler ci cd cluster docker kubernetes k8s postgres postgresql mysql sqlite redis mongodb kafka python javascript typescript rust golang java node react vue
auth authentication token webhook queue worker cron logging metric alert monitor proxy dns ssl tls certificate url json yaml csv xml html css sdk cli terminal editor vim prod production staging
rollout hotfix upgrade refactor parser client plugin handler middleware retry timeout latency deadlock socket algorithm dataset backup restore import export sprint
milestone roadmap spec requirement architecture component invoice billing payment checkout spreadsheet hosting domain`)

const questionWordsEnglish = `do_you does did_we did_you did_i have_we have_you has_the should_we should_i shall_we can_we can_i could_i what which who whom whose why how where is_it is_that is_this are_we are_you was_it will_we will_you will_it would_you would_it
could_you can_you am_i do_i do_we why_do_not what_if any_idea any_chance is_there are_there do_not_you can_anyone does_anyone remind_me`

// noNoun words stand in no phrase that names a thing.
var noNoun = wordSet(`almost nearly half still yet needs that which who whom whose ensure make sure if so can could will would should must may might you i we he she they it is are was were be been am do does did how why what when where because since
	given have has had let felt such not never please by following confirm review check verify list once until unless though although while as`)

// englishHarmless hold words of the lists above and mean something else.
const englishHarmless = `what_i_said what_we_said as_i_said i_said we_said i_told what_i_told as_we_said like_i_said the_article_page the_book_page`

// trivialWords name what is done every day.
var trivialWords = wordSet(`hair shoes glasses sandwich pizza milk lunch dinner breakfast coffee tea beer nap shower teeth socks mouse bed dishes groceries laundry camp novel movie film episode myself himself herself`)
