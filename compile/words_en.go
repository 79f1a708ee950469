package compile

// The English words of the screens.

// speakersHere may stand behind a phrase that opens a sentence.
var speakersHere = []string{"we", "i", "let us", "it turned", "it turns", "our team", "the team", "我们", "我", "咱们", "咱", "大家", "团队"}

// whileHan end a phrase of time, behind which what is said begins.
var whileHan = []string{"的时候", "时", "之前", "之后", "以前", "以后"}

// leadsIn begin such a phrase.
var leadsIn = wordSet(`from starting beginning effective under within despite in at after during on for with given based as per until following by upon regarding concerning about due this these last when whenever having my before`)

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
i_can_not_say would_have could_have might may_have he_wants she_wants they_want want_to_know wants_to_know someday some_day one_day
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
then_ci almost_done nearly_done to_go first_two first_three of_the_five but_it_is_not still_open still_waiting are_missing is_missing the_rest_is the_rest_follows far_from going_to_be would_be should_be will_be below above the_question shall_i should_i`

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

const englishVagueStarts = `where_this where_it the_flow when_you_get when_you_are when_it_is the_other hard_to my_mind the_mouse_and it_to it_from it_in you_a you_an you_the remember you_to_remember how_this how_that how_it what_we what_i what_you what_to how_to whether if nothing anything if_we if_i not_to_say to_disagree
hear see_what think that_way know this_is that_is it_is_fine it_is_ok it_is_good you_are_right i_think you_too how_you your_idea the_idea this_idea that_idea your_work your_style your_help it_here it_there it_when_you_are it_that_way the_way_you me_when me_if me_later me_tomorrow me_back me_know him her us_know them
ask_you see_how wait_and_see to_be_honest seen heard been knew known wondered thought wanted_to meant_to sorry_for learn_more help_you thank that_you this_one that_one the_other_one the_first_one the_second_one
the_look the_sound a_pleasure pleased problem worries mind idea fun yes thanks no_idea no_problem no_worries no_thanks no_way no_doubt all_of_it some_of_it nothing_of what why later wait talk discuss meet on_nothing something_else anyway none neither
it_is_fine it_is_ok it_is_good i_do_not i_am_not i_can_not i_have_not i_did_not well no_harm say tell_you get_back it_as_a lunch coffee bed home
lie make_it a_feature a_bug a_marathon rocket a_big_deal a_problem by by_the crazy back_later tomorrow maybe luck questions excuses worries
just only easy sure up give_up enough ideal perfect take_a_break take_a_walk take_a_nap get_a_coffee get_coffee grab have_lunch have_a_coffee call_it_a_day call_it_a_night say_never breathe builds_took yet mean_to mean_well intend ask mention`

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
