package compile

// What English says when something is to be kept. The notation of the cues is
// told in rules_shape.go; the words of the screens are in words_en.go.

const englishCues = `
remember 0.95 if <please>* remember that/:
remember 0.95 ie <please>* remember this/the_following/these/following :
remember 0.93 i <please>* remember this/that .. ,/:
remember 0.92 ib <please>* remember ,
remember 0.9 ib <please>* remember to
remember 0.9 ib <please>* remember my/our/the/i/we/all/every/not_to/it_is/there_is/there_are/how/where/which
remember 0.95 i <please>* keep/bear in_mind that/:/,?
remember 0.95 ie <please>* keep/bear one_thing/this/that/it/something/two_things in_mind .. ,/:/that
remember 0.9 e .. we/i/you will? need/want/use it/this/that/them .. again/later/all_along/throughout/often/all_the_time .. :
remember 0.92 e worth/good/important/useful/handy to? remember/remembering/noting/knowing/know/keeping_in_mind/keep_in_mind :/,/that
remember 0.95 - <please>* put it/this/that? on/in record/file/the_record that/:
remember 0.95 ie <please>* keep/take/make/leave a? note of? this/that/the_following/these :/,?
remember 0.95 i it_would/it_will/would be good/great/nice/useful/helpful if_you <rem>/noted/kept_in_mind/knew that/:/my/our/i/we
remember 0.92 e <please>* do_not lose/misplace/drop this/that/it :/,
remember 0.9 b before i_forget/i_forget_it ,/:
remember 0.95 e <please>* keep/store/put/save this/that/it somewhere safe? :
remember 0.92 e .. reminder .. :
remember 0.95 e <please>* commit/put/save/add/store/keep this/it/that to/in/into/for your/the? memory/notes/long-term_memory/records/next_time
	/later .. :
remember 0.92 - .. for/to your/the notes/memory/files ,/:
remember 0.92 e .. write/note/jot it/this/that/them down :
remember 0.92 e .. worth keeping/remembering/noting/knowing .. :
remember 0.9 s X , <please>* keep/bear that/this/it in_mind
remember 0.95 i <please>* do_not/never/not/must_not/should_not forget that/to/:/,?
remember 0.95 i <please>* note/memorize/record that/:/down
remember 0.9 bi <please>* memorize my/our/the/this/that/all
remember 0.95 ie <please>* make/take a? note/mental_note that/:/,
remember 0.95 ie <please>* jot/write/note/put/file/store/save/keep/tuck this/that/it down/away/somewhere :?
remember 0.95 i <please>* jot/write/note/put/take down that/:
remember 0.95 qie <please>* save/store/note/record/memorize/write/keep/remember/log this/that? :
remember 0.95 qi <please>* add/save/store/put/commit/write/keep X to/in/into/on your/the/our/long-term? memory/notes/memories/knowledge_base/file
	/record/records
remember 0.95 qi <please>* save/store/add/write to/in/into your? memory/notes that?/:?
remember 0.95 qie <please>* .. in/to/into/on your/the/our memory/notes/long-term_memory/memory_file/files .. :/,
remember 0.95 qi <ask> please? <rem> that/of/:/,?
remember 0.95 qi <ask> please? <please>* keep/save/store/put/write/add X to/in/into/for your? memory/notes/later/next_time/future_reference/me
remember 0.9 ec for the/your/future/my record/reference/records/information/later ,/:
remember 0.9 e for the_next_time/next_time/future_sessions/later_sessions/the_future/later/future_reference/another_time ,/:
remember 0.92 e .. for/until next_time/later/future_sessions/the_next_session/the_next_sessions/future_reference/the_future/later_on/the_next_time ,/:
remember 0.9 c .. for the_record ,/:
remember 0.9 e .. you should/must/need_to/ought_to/have_to/will_need_to/will_want_to/may_want_to/want_to/might_want_to/can always? know/remember
	/hang_on_to/keep/hold_on_to/be_aware_of/have_in_mind/keep_in_mind/carry/rely_on/need .. :
remember 0.9 e .. you will? need/want/reuse/come_back_to again/later/often/again_later/all_the_time/from_now_on/in_later_sessions .. :
remember 0.9 e things/something/one_thing/two_things/a_few_things/facts/context/background/a_fact .. worth/to/worth_knowing remembering/knowing
	/keeping/remember/know/keep/keep_in_mind .. :
remember 0.88 b reminder/memo/nb/n.b/nota_bene ,/:
remember 0.88 - it_is/this_is important/worth/essential/crucial to/that? remember/remembering/noting/note/know/knowing that/:
remember 0.88 b be aware that/of
remember 0.92 sbp <please>* <rem> that/this/it/this_one/that_one? please? $$
remember 0.92 sbp <please>* do_not forget that/this/it please? $$
remember 0.92 sbp <please>* keep/save/store/write/put that/this/it in_mind/in_your_notes/in_memory/in_your_memory/down/for_later/to_memory
	/for_next_time/on_file $$
remember 0.92 sbp worth remembering/noting/keeping_in_mind $$
remember 0.92 qsp <ask> please? <rem> that/this/it please? $$

decision 0.92 af <us> have? <adv>* decided <adv>* to/on/that/against/not_to/in_favor_of/for
decision 0.92 f <we> have? <adv>* decided <adv>* to/on/that/against/not_to/in_favor_of/for
decision 0.88 f <we> have? <adv>* decided
decision 0.92 af it was/is/has_been <adv>* decided/agreed to/that
decision 0.92 be final? decision :
decision 0.9 be decided/agreed/settled/resolved/approved/outcome/conclusion/verdict/final_call/final_answer/final_decision/ruling/resolution
	/consensus :
decision 0.88 b decided to/on/that/against/,
decision 0.9 e the/our/my/final? final? decision/verdict/consensus/agreement/outcome/conclusion/resolution .. is/was/: that/to/:
decision 0.9 e the/our/my/final final? decision/verdict/consensus/agreement/conclusion/resolution .. :
decision 0.82 f the/our/new? new? convention/rule/policy .. is/: now? that/to?
decision 0.88 af <us> have? <adv>* agreed .. to/on/that/upon/not_to
decision 0.88 f <we> have? <adv>* agreed .. to/on/that/upon/not_to
decision 0.85 a <us> have? <adv>* settled/landed on/for
decision 0.85 - <we> have? <adv>* settled/landed on/for
decision 0.84 tf <us>/<org> have? <adv>* <chose>
decision 0.84 tf i/everyone/the_group have? <adv>* chose/chosen/picked/selected/opted_for/opted_to/gone_with/went_with/gone_for/went_for/committed_to
	/standardized_on/adopted/ruled_out/accepted/declined/turned_down/signed_with/signed_off_on/shelved/scrapped
decision 0.8 t <we> are/am/is <adv>* <using>
decision 0.82 t <we> are/am/is <adv>* moving/switching/migrating/shifting/handing/transferring/outsourcing X to/over_to/from
decision 0.84 t were <using>
decision 0.82 t we/the_team/i are/am/is <adv>* not <adv>* going_to <use>/shard/add/build/change/renew/extend/touch/migrate/rewrite/take/accept/offer
	/do/fix/pay/open/launch/make/wait_for/move/invite/publish/fund/sell/raise/lower/redo
decision 0.82 t we/the_team/i are/am/is <adv>* not <adv>* doing/using/supporting/adding/building/changing/renewing/hiring/buying/touching/moving
	/migrating/taking/keeping/extending
decision 0.8 t we/the_team/everyone/the_board/my_wife_and_i will/shall <adv>* not? <adv>* <use>
decision 0.8 t i will/shall <adv>* not? <adv>* use/go_with/go_for/stick_with/stick_to/switch_to/adopt/drop/settle_on/standardize_on/move_to/stay_with
	/stay_on
decision 0.8 st we will not <use>/renew/extend/pay/open/launch/build/add/change/hire/touch/migrate/rewrite/take/accept/offer/do/fix/sign/invite/move
	/shard
decision 0.78 t we/the_team are/is <adv>* going_to <adv>* <use>
decision 0.78 t i am <adv>* going_to use/go_with/go_for/stick_with/stick_to/switch_to/adopt/drop/settle_on/move_to/stay_with/stay_on
decision 0.82 t let us <adv>* not? use/go_with/go_for/stick_with/stick_to/switch_to/switch_over_to/adopt/keep_the/keep_our/settle_on/standardize_on
	/migrate_to/move_to/drop/replace/deprecate/support/postpone/rename/split/pin/retire/stay_with/stay_on/cap/limit/ban/freeze/do_without/get_rid_of
	/phase_out/target/aim_for/name_it/move_the/run_it/do_it_in/write_it_in
decision 0.85 t <we> have? <adv>* switched/migrated/moved from/to/over_to/away_from
decision 0.85 t <we> have? <adv>* migrated/moved off
decision 0.9 f <we> have? <adv>* made a/the/our/my final? decision/call/choice to/that/:
decision 0.9 f <we> have? <adv>* come/came to_the/to_a/to_an conclusion/decision/agreement that/to
decision 0.88 f <we> have? <adv>* concluded that
decision 0.88 f <we> are <adv>* agreed/set on/that/to
decision 0.88 ae <us> are <adv>* agreed :
decision 0.88 A as decided/agreed ,/:
decision 0.88 A .. we/you have? agreed/decided/settled .. :
decision 0.85 - i/we have? <adv>* made/made_up my/our? minds/mind/up_my_mind/up_our_minds ,/:
decision 0.88 e it_is/that_is/it_has_been now? settled/decided/official/agreed/a_deal/a_done_deal/sealed/final ,/:/that
decision 0.85 be agreed/deal/done_deal/sold/settled_then/agreed_then :
decision 0.85 sb agreed/deal/done_deal/sold/settled_then/agreed_then/fair_enough , x X
decision 0.86 e you have? convinced/persuaded/talked me/us .. :/,
decision 0.86 - i_am/we_are convinced/sold :/,
decision 0.8 bnu x it_is $
decision 0.8 b going/sticking/staying with
decision 0.85 btu X is/are/was/were/has_been/have_been <adv>* approved/rejected/ruled_out/postponed/cancelled/canceled/off_the_table/out_of_scope
	/put_on_hold/agreed_on/agreed_upon/chosen/selected/locked_in/decided/called_off/shelved/greenlit/scrapped/settled/frozen .. $
decision 0.82 tf we/the_team no_longer/do_not support/accept/ship/allow/store/log/offer/deploy/merge/release/sell/hire/serve
decision 0.82 tf we no_longer use/need/run/keep
decision 0.88 tf the/our .. board/committee/council/panel/jury/team/group/department/office/commission/union/client/customer
	/partners have? <adv>* decided/agreed/passed/settled/<chose>
decision 0.86 - X , that/it is settled/final/decided/agreed/that/fixed $
decision 0.84 t the/our/that X plan/idea/design/proposal/option/approach/variant/scheme/project is/are off/void/dead/dropped/history/out/buried
	/off_the_table/scrapped/no_longer_valid/abandoned
decision 0.84 t the/our/that plan/idea/design/proposal/option/approach/variant/scheme/project X is/are off/void/dead/dropped/history/out/buried
	/off_the_table/scrapped/no_longer_valid/abandoned $
decision 0.84 t <we> are? leave/leaving/left/keep/keeping/kept X as_it_is/as_is/as_they_are/the_way_it_is/unchanged/for_now
decision 0.86 e <we> have? talked/discussed/thought/argued/went it/this/that? over/through/about_it/about_this ,/:
decision 0.86 e .. <we> have? aligned/synced/settled/clarified with .. :
decision 0.82 - so/then we use/keep_the/keep_our/go_with/drop/stay/take_the/rent/sign/buy/skip_the
decision 0.82 bn so it_is X then
decision 0.84 t <we> ended_up choosing/picking/going_with/with/using/buying/taking/keeping/hiring/renting
decision 0.86 e .. bottom_line/upshot/short_result/end_result/final_word :
decision 0.86 t <we>? have? got/received/have the? green_light/go-ahead/approval/sign-off/okay/clearance for/to/from
decision 0.88 A agreed/as_agreed/decision_recorded :/, we/you/the
decision 0.86 A you/we have? <adv>* decided/agreed/settled_on/opted_for
decision 0.84 tu X stays/remains/will_stay/will_remain weekly/daily/monthly/hand-written/manual/free/private/public/open-source/local/in-house
	/the_same/on_#/at_#
decision 0.86 e .. short_version/short_summary/result/outcome/upshot/conclusion of/from the/our/this/today's? .. :
decision 0.86 w our/my answer .. is no/yes/a_no/a_yes
decision 0.86 - it_is a no/yes/go/no-go for/on/to/from
decision 0.84 t legal/finance/management/the_board/the_client/hr/security/everyone/marketing/procurement is/are fine/okay/ok/happy/on_board with
decision 0.84 tu X gets/get cut/dropped/axed/scrapped/removed/replaced/merged/renamed/postponed/shelved/retired
decision 0.86 - support for X ends/ended/will_end/stops/is_dropped/has_ended
decision 0.84 tu <we> have? put x off/back/on_hold/on_ice
decision 0.84 t <we> have? pushed X back/out/to
decision 0.86 - X and i have? <adv>* decided/agreed/settled/chose/picked/opted
decision 0.86 be so_be_it/final_verdict/the_verdict :
decision 0.86 w .. of one_mind
decision 0.82 b no_more
decision 0.84 t effective/starting/beginning/from/as_of <date> .. ,
decision 0.84 - effective/starting/beginning # .. ,
decision 0.84 - X moves/is_moved/has_moved/has_been_moved/shifts/slips/is_pushed/was_pushed/has_been_pushed/is_postponed/is_rescheduled/was_moved
	/gets_moved/goes_live/launches/ships/takes_over .. to/until/on/from/by/in/as_of <date>/#
decision 0.82 - X takes_over/will_take_over as
decision 0.82 t X stays/remains/is_staying/will_stay as_is/as_it_is/put/unchanged/in_place/where_it_is/the_way_it_is/untouched/for_now $

preference 0.9 - i/we <most>* prefer
preference 0.88 - i would/will <most>* prefer/rather
preference 0.85 s i would <most>* like/love/want all/every/your_answers/answers
preference 0.85 s i would <most>* like/love/want you_to always/never/stop/avoid/only/address/call/not
preference 0.88 n my/our <most>* preferred/favorite/preference/personal_preference/preferences .. is/are/:/for/would_be
preference 0.8 sh i/we <most>* like/love/enjoy
preference 0.82 s i/we <most>* hate/dislike/detest/can_not_stand/can_not_bear/do_not_like/am_not_a_fan_of/do_not_want/am_not_a_big_fan_of
	/am_no_fan_of/do_not_care_for/despise/do_not_enjoy/have_no_use_for/loathe/do_not_eat/do_not_drink/do_not_read/do_not_use/am_allergic_to/am_tired_of
	/am_sick_of
preference 0.8 s i am a big/huge/great? fan/lover of
preference 0.84 s i/we find X useless/annoying/distracting/confusing/unreadable/hard/harder/easier/clearer/ugly/boring/helpful/tedious/noisy
	/pointless/irritating/condescending/hard_to_read/easier_to_read/exhausting/overkill/childish/patronizing
preference 0.82 s i/we <most>* always/usually/normally/typically/generally/mostly/never/tend_to/almost_always/never_ever/only <work>
preference 0.86 ib <please>* never/always/never_ever <imperative>
preference 0.84 ti never/always <imperative>
preference 0.84 sib <please>* do_not ever? <imperative> X <whenever>
preference 0.85 sib <please>* do_not ever <imperative>
preference 0.8 sibg <please>* do_not use/add/include/write/suggest/mock/call_me/apologize/repeat/summarize/sugarcoat/assume/abbreviate/hardcode
	/make_up/address_me/quote/wrap/put/auto-format/invent/guess/bother_with/start_with/end_with/reply_with/answer_with/send_me/give_me/ask_me/schedule
	/book/cc
preference 0.8 sb <please>* stop/avoid/refrain_from/quit/skip adding/using/writing/asking/apologizing/repeating/suggesting/putting/calling/making
	/giving/sending/summarizing/summarising/apologising/starting/ending/including/explaining/changing/reformatting/wrapping/praising/telling/repeating
	/flattering/guessing/inventing
preference 0.82 sbg <please>* answer/reply/respond/speak/talk/comment/explain to_me? in/with/as/briefly/using/only
preference 0.85 sb <please>* keep/make your/the/all/any answers/replies/responses/explanations/messages/comments/answer/reply/response/summaries/code
	/examples/tone/commits/functions/emails/mails
preference 0.88 sn <please>* call/address me/us as/by?
preference 0.84 s i want/need/expect all/every/any
preference 0.84 s i want/need/expect you_to always/never/stop/avoid/only/address/call/not
preference 0.86 ib one/a/another? general thing/note/rule/remark/request/wish/comment/point .. :/,
preference 0.86 ib house_rule/ground_rule/general_rule/my_rule/rule_of_the_house/style_rule/house_style/standing_order/standing_rule
	/standing_instruction :/,
preference 0.86 i as_a_rule/in_general/as_a_general_rule/generally_speaking/by_default ,? we/please/always/use/avoid/keep/give/no/do_not/never/write
	/put/send/show/answer/assume
preference 0.9 si from_now_on/from_here_on/henceforth/in_future/in_the_future/from_today/from_this_point_on/from_here_on_out/starting_today
	/from_today_on ,?
preference 0.9 si going_forward/moving_forward ,
preference 0.82 i unless i/we/told/otherwise/stated X ,
preference 0.84 b default to
preference 0.82 sb <please>* <imperative> X by_default $
preference 0.84 s <please>* <imperative> X <whenever>
preference 0.84 sb whenever/every_time/each_time/any_time/anytime X , <please>* <imperative>
preference 0.84 sbi when/if you write/commit/review/answer/reply/translate/refactor/generate/create/name/suggest/propose/edit/change/touch/open/add
	/plan/summarize/explain/quote/cite/give/show/send/draft/format/touch/use/report/book/plan/schedule/call/order/test/debug/deploy/name/post
	/publish .. , <please>* <imperative>/do_not/never/always/no
preference 0.84 sbi when/whenever/while reporting/writing/translating/answering/committing/naming/reviewing/refactoring/summarizing/explaining
	/quoting/planning/booking/scheduling/drafting/replying/generating/formatting/editing/testing/coding/designing/presenting/plotting/drawing/ordering
	/cooking .. , <please>* <imperative>/do_not/never/always/no
preference 0.84 sib .. whenever/every_time/each_time/any_time X , <please>* <imperative>/do_not/never/always/no
preference 0.86 i X should/must/need_to/needs_to/has_to/have_to/may always/never/only/not_ever/at_all_times
preference 0.86 i all/every/each/any/no X should/must/need_to/needs_to/has_to/have_to/shall
preference 0.84 i X , so all/every/any X should/must/need_to/needs_to/has_to/have_to
preference 0.85 - X works/work best/better for me/us
preference 0.84 - i/we <most>* work/think/learn/read/concentrate best/better
preference 0.82 - i am more_of X person
preference 0.84 - it <most>* bothers/annoys/bugs/irritates/confuses/drives_me_crazy/drives_me_nuts/drives_me_mad/drives_me_up_the_wall me? when/that
	/if/how
preference 0.84 - X <most>* drives/drive me crazy/nuts/mad/up_the_wall .. $
preference 0.8 n i go_by
preference 0.82 ns my pronouns are
preference 0.86 s you may/can/are_allowed_to/are_free_to/have_my_permission_to/have_permission_to/do_not_have_to/do_not_need_to X without/before
	/whenever/yourself/on_your_own/any_time/directly/for/every_time
preference 0.86 s feel_free_to/go_ahead_and X without/whenever/directly/any_time/yourself
preference 0.84 sb no_need_to/you_need_not ask/confirm/wait/check_with_me/explain/apologize/tell_me/run_it_by_me
preference 0.84 s do_not ask/wait/check_with_me .. before/for/when/every_time
preference 0.82 sb no X ,? please $
preference 0.82 sb use X everywhere/by_default/throughout
preference 0.84 b prefer
preference 0.84 sbu X please? ,? by_default/everywhere/at_all_times/throughout/in_every_answer please? $
preference 0.84 s <please>* <imperative> X ,? .. always/every_time/in_every_answer/everywhere/each_time/at_all_times please? $
preference 0.84 s i take/use/want/need/drink/sit/fly/prefer/write/work X ,? always/every_time please? $
preference 0.84 - i am/work/think/write/concentrate most/more/best productive/focused/alert/effective/creative? in/at/before/after/when/on/early/late
preference 0.86 s X , that_is/this_is my/our rule/principle/policy/standard/line_in_the_sand/preference/red_line/ground_rule/pet_peeve $
preference 0.84 qs <ask> please? not <imperative> X on/before/after/for/during/anymore/any_more/in
preference 0.84 s X over X ,? please
preference 0.82 s in our/this team/project/repo/codebase/house/company/office ,? everything/everyone/all/nobody/no
preference 0.84 s X is/are sacred/off-limits/a_no-go/taboo/a_must/non-negotiable/a_deal-breaker
preference 0.82 sg for X ,? we use/write/put/take/name/keep/follow
preference 0.82 sg for X ,? i want/prefer/like
preference 0.84 s always X for/with me/us
preference 0.84 s you do_not have_to/need_to be/ask/explain/apologize/use/include/add/write/wait/translate/repeat/justify
preference 0.82 s we write/format/name/spell/count/measure/log X as/in/with
preference 0.84 s whatever/wherever/however you X , <please>* <imperative>
preference 0.84 s i can_not work/think/concentrate/deal/function/sleep with/without
preference 0.84 s <please>* assume/treat/regard me/i/us
preference 0.84 si if/when you? are? unsure/in_doubt/not_sure/uncertain/stuck , <please>* <imperative>/say/ask/stop
preference 0.84 s feel_free_to X anything/any/in
preference 0.86 - the fewer/less/shorter/simpler/more/smaller/earlier X ,? the_better
preference 0.82 s i <most>* drink/eat/wear
preference 0.86 s <please>* spare me/us
preference 0.82 - in/for/on this/our/these/my project/repo/repository/team/codebase/house/office/company/household/family/lab/group .. ,? we/i <work>
preference 0.86 s it is/would_be important/essential/crucial to/for me/us that
preference 0.84 s i care about/that
preference 0.86 - my/our house_style/style/rule/policy/standard/convention/habit/routine/practice/style_guide .. is/:/says
preference 0.84 s <please>* <imperative> .. to_me/to_us like/as_if/as_though i/we
preference 0.86 sbip <please>* mind/observe/respect/note/do/follow/apply that/this/it from_now_on/in_future/always/everywhere/in_the_future
preference 0.86 sbip that/this/same/the_same goes/applies/holds/is_true for/to/in all/every/any/each/everything/the_future
preference 0.86 sbip from_now_on/always/every_time/in_general/as_a_rule/everywhere/in_every_project/for_every_project/and_always please? $$
preference 0.84 qs <ask> please? always/never/from_now_on/in_future/going_forward

correction 0.95 ebk .. correction/erratum .. :/,
correction 0.92 ko no/nope/nah no? ,/. X <verb>
correction 0.9 k no/nope no? ,/. it_is/its/that_is/they_are
correction 0.92 bk nope/no ,/. its spelled/spelt/called/pronounced
correction 0.9 - no ,/. i said/meant/mean/asked_for/wanted
correction 0.9 bke not_quite/not_exactly/not_correct/incorrect/wrong/false/close/almost/not_true/not_really/so_close/nearly/nearly_right/almost_right
	/wrong_way_round/other_way_round/the_other_way_round ,/:/.
correction 0.9 bk wrong/not_that .. ,
correction 0.92 ek let_me/i_need_to/i_have_to/i_must/i_should correct/fix/rectify/rephrase/clarify/restate .. :/,
correction 0.92 ek small/quick/minor/one fix/correction/typo .. :/,
correction 0.92 ek .. typo/misprint/slip :/,
correction 0.9 bk not # .. , X <verb>
correction 0.9 k X , you treated/read/took/interpreted/counted/parsed/entered/used/handled/wrote/calculated/converted .. as/in
correction 0.9 k that/this/these/those is/are not X , X <verb>
correction 0.92 k you have? got? the_wrong .. ,/:
correction 0.92 k that/this/it is/was the_wrong .. ,/:
correction 0.9 ek you are mixing_up/confusing/misreading/thinking_of/mixing/swapping .. :/,/;
correction 0.88 k your/the/that .. says/said/lists/shows/has/assumes/mentions/claims/states .. , but
correction 0.93 sek that/this/it/which/what_you_said/your_answer/your_summary/the_above is/was/are <adv>* <wrong> ,/:/;/./$
correction 0.92 sek the X is/was/are off/swapped/old ,/:/;
correction 0.93 sk .. is/was/are <adv>* <wrong> .. :/,/;/.
correction 0.93 sek you are/were <adv>* wrong/mistaken/incorrect/confusing
correction 0.93 ek you have? got/had X wrong/backwards/mixed_up/reversed/swapped
correction 0.93 ek you have? misread/misunderstood/mixed_up/mixed/confused/misremembered/misquoted/mistook/swapped/switched/misspelled/miscounted
	/miscalculated/misheard .. :/,/;/.
correction 0.92 k you have? mixed_up/confused/mistaken/swapped/mistook X with/for/and
correction 0.9 ek i was wrong/mistaken/off
correction 0.92 ek i misspoke/made_a_mistake/made_a_typo/got_it_wrong/mixed_that_up/typed_it_wrong/made_an_error/had_it_wrong/got_that_wrong
	/told_you_wrong/gave_you_the_wrong/told_you_the_wrong/sent_you_the_wrong/wrote_the_wrong/mistyped/misremembered/miscounted/misread_it .. ,/:/.
correction 0.88 k i <most>* meant
correction 0.9 k <most>* my_mistake/my_bad/sorry/oops/whoops/apologies/pardon ,/:/. i_meant/it_is/it_was/the/that_is/that_should/it_should/make_that
	/that_was/we_are/there_are
correction 0.9 - make that
correction 0.88 tko actually ,? X <verb>
correction 0.9 k i said X but
correction 0.92 sek that/this/it is/was old/outdated/stale/no_longer_true ,/:/;
correction 0.9 k .. can_not be right/correct/true ,/:
correction 0.9 bk not .. # .. , we/i/it/the/they/our/my/he/she X <verb>
correction 0.9 k i have_to? take_that/take_it back ,/:
correction 0.88 k you called/labelled/described/marked/treated/classified X , but
correction 0.92 b the? other_way_round/other_way_around/reverse :
correction 0.9 k your X forgets/misses/ignores/omits/leaves_out/lacks/skips .. ,
correction 0.9 k X does/do not exist .. , it_is/the/they_are/use
correction 0.92 bk two/three/a_few/some corrections :
correction 0.9 t X is/are/was/were not X , he_is/she_is/we_are/i_am
correction 0.9 t X <verb> X , not
correction 0.9 t X <verb> X and not #/the/a/an/our/on/in/at/by/¤
correction 0.9 tc X <verb> X and not X
correction 0.9 t X is/are/was/were not X , it_is/it_was/they_are/rather/its
correction 0.88 - i said X , not
correction 0.88 - X should be/say/read/have_been/point_to/go_to X instead_of/rather_than/not/and_not
correction 0.88 - X instead_of/rather_than X as_i_said/as_you_said/as_stated/like_i_said/like_you_said/as_you_wrote
correction 0.85 n the correct/right/actual/real name/value/number/port/address/url/date/spelling/version/path/order/amount/key/figure/time/year/email
	/unit/formula/title .. is/:
correction 0.86 n X is spelled/spelt/pronounced
correction 0.85 - contrary_to what
correction 0.92 ek scratch/forget/ignore/disregard/strike what_i/that/the .. ,/:
correction 0.88 k you wrote/said/claimed/noted/listed/put/had/assumed X , but/it_is/it_was/it_should/that_should/the

lesson 0.93 e the/my/our/a/one/main/big/key/hard/biggest/important/two/three? main/big/key/real/biggest? lesson/lessons/takeaway/takeaways/gotcha
	/insight .. :
lesson 0.93 - the/my/our/a/one/main/big/key/hard/biggest/important/two/three? main/big/key/real/biggest? lesson/lessons/takeaway/takeaways/gotcha
	/insight .. is/was that/to/not_to/never/always
lesson 0.93 e the/my/our/one/main/key/biggest/two/three main/big/key/real/biggest? finding/findings/learning/learnings/upshot/moral/conclusion .. :
	/is/was that?
lesson 0.93 be lesson/lessons/takeaway/takeaways/gotcha/pitfall/root_cause/learned/til/postmortem/post-mortem/finding/findings/main_finding
	/moral_of_the_story/learned_something/lesson_for_me/lesson_for_us learned? :
lesson 0.9 b til
lesson 0.93 e note/notes to self/ourselves/myself :/,
lesson 0.9 t <we> have? <adv>* learned/learnt/discovered/found_out/figured_out/realized/noticed that/the_hard_way/out_the_hard_way/from
lesson 0.9 t <we> have? <adv>* found that the/our/a/an/it/if/when/with/using/we/in/all/only/most/some/every/¤/#
lesson 0.9 t it? <adv>* turns/turned out ,? that?
lesson 0.88 t the key .. was/is to/that/not
lesson 0.9 t the actual/real/main/underlying? root_cause/culprit/trick/workaround/real_problem/underlying_problem/actual_problem .. was/is
	/turned_out_to_be/: <adv>* that/to?
lesson 0.86 - the actual/real/only/whole? problem/issue/bug/reason/cause/fix/solution/failure/error/crash/outage/leak/slowdown/timeout/timeouts
	/flakiness/delay .. was/were <adv>* that/to/a/an/the/our/my/in/not/too/one/no/#/¤
lesson 0.86 - the actual/real/only/whole? problem/issue/bug/reason/cause/fix/solution/failure/error/crash/outage/leak/slowdown/timeout/timeouts
	/flakiness/delay .. turned_out_to_be/came_from/comes_from/came_down_to
lesson 0.86 - the actual/real/only/whole? reason/cause/fix/solution .. is <adv>* that/to?
lesson 0.86 tq what <adv>* worked/helped/fixed_it/did_the_trick/solved_it/saved_us/broke/went_wrong/caused_it/bit_us/cost_us/broke_it .. was
lesson 0.86 i next_time ,? <we> should/must/need_to/have_to/will/ought_to/do/test/check/warm/start/ask/take
lesson 0.84 bi next_time/next_year ,? <imperative>/always/never/first/let_us/better
lesson 0.88 - in hindsight/retrospect ,?
lesson 0.88 b looking_back/with_hindsight/in_hindsight ,?
lesson 0.86 t <we> should have/not_have <adv>*
lesson 0.9 - never/do_not/let_us_not X again
lesson 0.9 b never_again
lesson 0.86 - beware/watch_out/be_careful/careful :/of/that/when/with
lesson 0.85 t X was/were <adv>* caused/triggered/broken/brought_down by
lesson 0.85 t X came/stemmed/resulted/come from
lesson 0.88 t X <fail> .. <why>
lesson 0.86 t X was/were/became/turned_into/turned_out <mess> .. <why>
lesson 0.86 t <we> have? wasted/lost/spent/burned/burnt X <why>
lesson 0.88 i X only works/worked/work/happens/fails/builds/starts/starts_up/passes/compiles/runs/connects/shows/prints/appears/accepts/boots/opens
	/fits if/when/with/after/because
lesson 0.86 - X did/does not work because/since
lesson 0.86 u X did_the_trick/fixed_it/solved_it/solved_the_problem/fixed_the_problem/made_it_work/finally_worked/cured_it $
lesson 0.86 t it/that/this was/is <adv>* because/due_to/caused_by/down_to
lesson 0.86 tu X is/was <adv>* because/due_to/down_to
lesson 0.86 t that_is/this_is/which_is why X <fail>
lesson 0.88 t it? took .. before/until/to i/we? found_out/figured_out/find_out/figure_out/notice/realize/noticed/realized/discover/discovered
	/track_down/work_out
lesson 0.86 b should have/not_have <adv>*
lesson 0.86 t it/all/everything all? came/boiled/comes/boils down_to
lesson 0.84 t in_the_end ,? it was
lesson 0.88 t <we> had_to redo/repeat/start_over/restart/throw_away/throw_out/replace/rebuild/roll_back/reprint/return/pay/cancel/reorder
	/retake .. <why>
lesson 0.88 t X finally fixed/solved/cured/resolved/did/stopped it/that/the
lesson 0.88 be .. mystery_solved/solved/found_it/figured_it_out/got_to_the_bottom_of_it/case_closed/problem_found/cause_found/bug_found/found_the_bug
	/found_the_cause/found_the_problem/found_the_culprit/found_the_reason :/,/.
lesson 0.86 i if i/we had only? known/read/tested/checked/asked/done/used/started/looked/listened/kept/made/backed/measured/planned/written/called
	/waited/bought/taken .. ,
lesson 0.86 b restarting/disabling/enabling/removing/adding/setting/upgrading/downgrading/pinning/clearing/increasing/raising/switching/reverting
	/rebooting/deleting/moving/replacing/using/caching/batching/dropping X cut/cuts/halved/doubled/sped_up/reduced/fixes/fixed/solves/solved/cures/cured/did/avoids/prevents/got_rid_of/stopped
lesson 0.86 t <we> have? spent/lost/wasted .. on this/that/it ,/:
lesson 0.86 t .. cost me/us a_day/a_week/an_hour/a_whole/two/three/half/hours/days/weeks/an_evening/a_night
lesson 0.86 t <we> have? <adv>* underestimated/overestimated/overlooked
lesson 0.86 - that_is what you/we/i get for
lesson 0.86 b rookie/beginner's/classic/stupid/silly mistake/error ,/:/.
lesson 0.86 - my/our mistake was
lesson 0.86 t the biggest/first/only/main? mistake was to/not_to/that
lesson 0.88 e the reason .. :
lesson 0.88 t took us/me .. to see/notice/find/realize/figure/understand/track
lesson 0.86 t X made X go_away/disappear/vanish
lesson 0.86 t X stayed/kept/would_not/did_not/refused .. until i/we/the
lesson 0.86 t X worked/works/passes/passed/started/starts/runs/boots once/after/as_soon_as i/we
lesson 0.88 t X was/is/were to_blame/at_fault/the_culprit
lesson 0.88 t now i/we know/understand/see why
lesson 0.88 - i/we will/would never again
lesson 0.88 - i/we will/would never/not X again
lesson 0.88 - it was X all_along
lesson 0.88 b so that_is why
lesson 0.86 - from this/that i/we take/learn/conclude
lesson 0.86 tw .. the hard_way
lesson 0.86 w .. know_better next_time/next_year/now
lesson 0.86 e .. the same_reason .. ,/:/as

task 0.85 at i/we have? <adv>* <fixed>
task 0.8 at i/we have? <adv>* <made>
task 0.8 at i/we have? <adv>* finished/completed/done
task 0.82 tabl <adv>* <past>
task 0.85 sabe all? done/shipped/fixed/merged/deployed :
task 0.85 sbe all? done/finished/shipped/fixed/merged/deployed/implemented/completed ,/with
task 0.84 atu X has_been/have_been/is_now/are_now/is_finally/are_finally/has_now_been/have_now_been <adv>* <part> 
task 0.84 tu X got <adv>* <part>
task 0.84 tu X is/are <adv>* now/finally/all/already/officially <part>
task 0.84 tu X is/are <adv>* <telic> $/and/,/as_of/to/on/in/since
task 0.84 au the/all/both/our/your X is/are <adv>* <telic> $
task 0.8 tu X is/are <adv>* <telic> 
task 0.82 tu X was/were <adv>* <part> and/today/yesterday/this/last/on/,/$
task 0.82 atu X is/are <adv>* now? done/complete/live/finished/up_and_running/in_place/in_production/on_main/gone/through $
task 0.82 atu X is/are <adv>* now live/complete/done/finished/up_and_running/in_place/in_production/fixed/on_main/online
task 0.82 tu X is/are/has_been <adv>* done/complete/finished/live in/on/for/and/,/as_of
task 0.82 btu x deployed/merged/shipped/released/uploaded/submitted/installed/delivered/published/migrated/switched_off/finished/completed/fixed
	/closed/sent/booked/paid/signed/approved to/in/on/into
task 0.84 t the/our .. move/migration/transition/rollout/refactoring/cutover/relocation/renovation/upgrade/rewrite/audit/inventory is/are over
	/behind_us $
task 0.84 t X went/has_gone/have_gone live/online/out/through
task 0.84 t X passed/cleared/has_passed review/the_review/the_audit/inspection/certification/qa/acceptance/the_exam/the_test/the_tests/final_review
task 0.8 t i/we took X down/apart/out
task 0.78 b took the/our/my X down/apart/out
task 0.8 btu x reached/merged/deployed/shipped/completed/complete/done/fixed/finished/accepted/uploaded/submitted/delivered/achieved/passed $
task 0.8 at i/we <adv>* got X working/running/to_work/merged/deployed/done/fixed/approved/signed
task 0.8 at i/we <adv>* managed_to

decision 0.84 - going_forward/from_now_on/henceforth/from_here_on ,? the/our/all/every/each/any/new X <verb>/only/must/will/should/keeps/uses/targets
decision 0.84 u every/each/all/the/our X <verb>/keeps/keep/writes/write/carries/targets X from_now_on/going_forward/henceforth $
decision 0.84 - X is/are what we/i will/agreed_on/decided_on/settled_on/go_with/are_going_with
decision 0.84 - the/our .. retention/limit/budget/deadline/price/rate/threshold/quota/interval/timeout/default/minimum/maximum/fee/rent/period/cap/ttl
	/size/version .. is/are now #
decision 0.84 - <org> have? turned X down
decision 0.82 tuc the/our X will_be in/on/at/held/hosted X
decision 0.84 - i/we am/are taking/accepting/declining/rejecting/turning_down the/their/this .. job/offer/position/role/deal/contract/flat/apartment
	/house/proposal
decision 0.82 tcu x will own/lead/take_over/maintain/be_responsible_for/be_in_charge_of/look_after X
decision 0.82 tcu the/our/all/every/each X will_be written/built/hosted/implemented/run/stored/kept/printed/painted/served/handled/sent/made/paid in/with/by/at/as/from X
decision 0.85 t X was/were/has_been agreed/decided/settled/approved/rejected/voted_down at/during/in_the/in_our/by_the/by_our X
decision 0.82 tc the/our X stays/remains/will_stay/will_remain at/on/with/under X
decision 0.84 - let us name/call the/our X
decision 0.82 t let us do the/our X in/with/without/by X
decision 0.86 e <we> have? voted ,/:
decision 0.84 tu the/our X is/are being discontinued/retired/phased_out/dropped/shut_down/abandoned/cancelled/wound_down/sunset/scrapped/replaced

preference 0.84 s <please>* write/format/spell/express/name/give/show dates/times/numbers/amounts/prices/names/titles/headings/headlines/comments/tests
	/docs/messages/commits/code/answers/units/paths/files/tables/variables/functions/quotes/summaries as/in/with/without/like
preference 0.84 s for me ,? X is/are/works/work better/best/easier/clearer/enough
preference 0.82 su X are fine/okay/ok/enough/welcome with/by/for me
preference 0.86 sn my working/office/business? hours/pronouns/time_zone/timezone/day_off/days_off is/are/:
preference 0.86 sb <please>* ask/check/ask_me/check_with_me/tell_me/warn_me before you/installing/deleting/changing/doing/any/each/every/committing/pushing
	/merging/adding/removing
preference 0.86 sb code_comments/commit_messages/variable_names/function_names/error_messages/release_notes/answers/replies/code/comments/summaries/prices/dates/reports/explanations/mails/emails/messages/docs/commits/titles/names
	/invoices always? in/with/without/as/under/before X ,? please
preference 0.86 sn you can/may call/address me
preference 0.84 s i need/expect X for/in/with/behind every/each
preference 0.84 si if/when something/anything/things/it is/are unclear/ambiguous/missing/not_clear , <please>* <imperative>/say/stop
preference 0.84 sw i am a? vegetarian/vegan/left-handed/colorblind/colour-blind/diabetic/lactose_intolerant/lactose-intolerant/dyslexic/deaf
preference 0.84 sb answers/replies/comments/summaries/prices/dates/times/reports/explanations/mails/emails/messages/docs/commits/titles/names/amounts
	/distances/quotes/examples always in/with/without/as/under/before X
preference 0.84 sb <please>* skip/spare/drop/leave_out/cut/forget the/all/any pleasantries/small_talk/intro/introduction/preamble/apologies/explanations
	/disclaimers/compliments/praise/boilerplate/emojis/flattery/fluff
preference 0.82 s our team writes/uses/names/formats/reviews/deploys/tests/signs/tracks/documents/prefers X
preference 0.84 s i would/want/like <most>* like? to_be addressed/called/notified/reminded
preference 0.84 s every/each/all X in this/our/the codebase/repo/repository/project/team gets/get/needs/need/has/have/must/is/are
preference 0.84 sb every/each X gets_a/gets_an/gets_its/must/needs_a/needs_an/has_to
preference 0.84 s .. messages/names/comments/tests/functions/variables/titles/commits/branches/files has_to/have_to/must/should be X here $
preference 0.84 su X has_to/have_to/must/should/needs_to/need_to be X in_this_repo/in_this_project/in_our_code/in_our_docs/with_us $

correction 0.9 - <sorry> ,/: i meant/mean/wanted the/my/our/a/in/on/at/#/¤
correction 0.9 c <sorry> ,/: i meant/mean
correction 0.9 t X do/does/did not use/live/run/have/ship/work/belong/need X , it_is/it_was/they_are X
correction 0.9 - X <verb> X , you wrote/said/put/have/had/typed/listed X

lesson 0.86 t it/that/this was not the/our/a/my X , the/our/a/my X was X
lesson 0.86 u X does/did not help , X does/did
lesson 0.84 i next_time ,? we <imperative>/rehearse/practice/measure
lesson 0.86 tw X , that/this/which was/is the_trick/the_culprit/the_cause/the_fix/the_key $
lesson 0.86 t X .. but fails/fail/breaks/break/crashes/crash/hangs/hang .. because/since/as

remember 0.9 - you should/must/need_to/ought_to know/be_aware that
preference 0.86 sbw <please>* ask_me/check_with_me/tell_me/warn_me before installing/deleting/changing/committing/pushing/merging/adding/removing
	/sending/booking/buying/running/deploying/publishing
preference 0.84 sb use X spelling/units/notation/quotes/indentation/naming/casing/encoding
preference 0.85 sb keep/make answers/replies/responses/explanations/messages/comments/summaries/functions/commits/emails short/under/to/below/brief/within
correction 0.9 - actually ,? it_was/it_is X who/that
lesson 0.86 b adding/removing/setting/using/caching/batching/moving/replacing/changing/switching X made/makes .. faster/slower/smaller/larger/better
	/worse/possible/work/go_away/stable/disappear
`
