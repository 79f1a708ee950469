package page

import "testing"

func TestWhatStandsForANewClaim(t *testing.T) { // MG13 MG15 deermem 38
	for _, c := range []struct {
		kept, new string
		want      bool
	}{
		// a plain word more, less or another
		{"User prefers concise answers in chat", "User prefers concise answers in chat, short form", true},
		{"User prefers concise answers in chat, short form", "User prefers concise answers in chat", true},
		{"user prefers dark roast coffee in mornings", "user likes dark roast coffee in mornings", true},
		{"Prefers dark roast coffee in mornings", "Likes dark roast coffee in mornings", true},
		{"Lives by the sea. Prefers dark roast coffee in mornings", "Lives by the sea. Likes dark roast coffee in mornings", true},
		{"User prefers concise answers in the chat", "user preferred concise answer in a chat", true},
		{"用户喜欢喝浓黑咖啡", "用户很喜欢喝浓黑咖啡", true},
		{"用户喜欢简洁的回答", "用户喜欢简洁回答", true},
		{"The meeting with the team is at 3 pm", "The meeting with the team is at 15:00", true},
		{"会议下午3点开始", "会议15:00开始", true},
		// values
		{"The rate limit of the user is 100 per minute", "The rate limit of the user is 1000 per minute", false},
		{"用户的请求上限是每分钟 100 次", "用户的请求上限是每分钟 1000 次", false},
		{"User worked on issue 12 all week", "User worked on issue 13 all week", false},
		{"User maintains router-37 in the rack", "User maintains router-41 in the rack", false},
		{"User has cats and a dog at home", "User has 3 cats and a dog at home", false},
		{"User has 3 cats and a dog at home", "User has cats and a dog at home", true},
		// negation, qualifiers, states, opposites
		{"Do push to the main branch on fridays", "Do not push to the main branch on fridays", false},
		{"用户允许在周五发布", "用户不允许在周五发布", false},
		{"用户喜欢咖啡", "用户不喜欢咖啡", false},
		{"User drinks coffee before noon", "User drinks coffee only before noon", false},
		{"User moves to the coast in spring", "User may move to the coast in spring", false},
		{"Telemetry is enabled on the laptop of the user", "Telemetry is disabled on the laptop of the user", false},
		{"用户的遥测功能已停用", "用户的遥测功能已启用", false},
		{"The vpn on the laptop of the user", "The vpn is offline on the laptop of the user", false},
		{"telemetry enabled laptop fast user home office", "telemetry disabled laptop quick user house office", false},
		{"The billing service owner is alice", "The billing service owner is bob", false},
		{"用户启用了自动备份", "用户停用了自动备份", false},
		// order
		{"Alice founded Acme", "Acme founded Alice", false},
		{"甲公司收购了乙公司", "乙公司收购了甲公司", false},
		{"User prefers tabs over spaces", "User prefers spaces over tabs", false},
		{"用户 北京", "北京 用户", false},
		// names
		{"User lives in Berlin with his wife and two kids", "User lives in Munich with his wife and two kids", false},
		{"User lives in Berlin with his wife and two kids", "User lives with his wife and two kids", true},
		{"User lives with his wife and two kids", "User lives in Berlin with his wife and two kids", false},
		{"Prefers Python, 用户在北京", "Prefers Python, 用户在上海", false},
		{"Prefers Python and Go for all backend services at work, 用户在北京", "Prefers Python and Go for all backend services at work, 用户在上海", false},
		{"Prefers go for backend services at work in 北京", "Prefers go for backend services at work in beijing", false},
		{"Alice likes green tea with milk at noon", "Bob likes green tea with milk at noon", false},
		{"He works late. Alice likes green tea with milk", "He works late. Bob likes green tea with milk", false},
		{"用户住在北京市朝阳区的一个小区里", "用户住在北京市海淀区的一个小区里", false},
	} {
		if got := StandsFor(Claim{Text: c.kept}, Claim{Text: c.new}); got != c.want {
			t.Errorf("%q stands for %q: got %v, want %v", c.kept, c.new, got, c.want)
		}
	}
}

func TestNothingStandsForWhatSpeaksOfAnother(t *testing.T) {
	a, b := Claim{Subject: "alice", Text: "likes green tea"}, Claim{Subject: "bob", Text: "likes green tea now"}
	if StandsFor(a, b) {
		t.Error("a claim of alice stands for one of bob")
	}
	if b.Subject = a.Subject; !StandsFor(a, b) {
		t.Error("and not for one of her own")
	}
}

func BenchmarkStandsFor(b *testing.B) {
	kept := Claim{Text: "User prefers email notifications over sms for weekly reports"}
	for name, new := range map[string]string{"plain": "User prefers push notifications over sms for weekly reports", "value": "User prefers 3 email notifications over sms for weekly reports"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				StandsFor(kept, Claim{Text: new})
			}
		})
	}
}
