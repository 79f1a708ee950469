package text

import "strings"

// What stands at the name of a secret and is none.

// fillers are what names for secrets, and what stands in for them, are made of:
// YOUR_API_KEY_HERE, mySecretToken, changeme.
var fillers = strings.NewReplacer(erased(`
	passphrase password passwd passwort pass pwd pw secrets secret tokens token credentials credential
	apikey api access client user username database server service account auth oauth bearer keys key
	your yours my our the new old current default actual real valid some any here example sample dummy
	fake mock test demo placeholder changeme changeit change replace insert enter put add todo tbd
	foobar foo bar baz redacted hidden masked removed omitted secure value string goes with this me it
	not very really
`)...)

// erased gives each word and what it is replaced by, nothing.
func erased(list string) (out []string) {
	for _, w := range strings.Fields(list) {
		out = append(out, w, "")
	}
	return out
}

// standsIn reports whether s stands in for a secret: words that say so and hardly
// more, one character again and again, or a part left out.
func standsIn(s string) bool {
	if uniform(s) || strings.Contains(s, "...") || strings.Contains(s, "…") || strings.Contains(s, "***") || strings.Contains(s, "xxxx") || strings.Contains(s, "XXXX") {
		return true
	}
	if strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.<>[]{}") != "" {
		return false
	}
	left := fillers.Replace(strings.ToLower(s))
	return len(strings.Trim(left, "_-.<>[]{}")) <= 2
}

// remarks are what people and programs say of a secret, or of which type it is.
var remarks = wordSet(`
	string str text bool boolean int integer number float double bytes byte char varchar object any unknown void
	null nil none undefined true false yes no on off optional required securestring secretstr field input type hidden
	label array list dict map option some self this file path env environ environment variable stdin prompt
	interactive ask auto generated random randomly rotated disabled enabled empty blank missing invalid incorrect
	correct wrong expired expires changed unchanged updated reset set unset stored saved encrypted hashed masked
	redacted removed protected needed mandatory unavailable available fail failed failure error success successful
	mismatch mismatched leaked compromised lost forgotten forgot weak strong safe same different empty short long
	that these those there see below above where what which who given provided supplied configured and or but if
	then than so as must should shall can cannot could may might will would only also asks use used uses using from
	for in into to of at by its is are was were be been has have had do does did plain plaintext basic digest
	saml ldap kerberos sso mfa otp totp login logout signin signup admin's user's please choose enter type confirm
	again create forgot between least characters length policy policies manager managers hash hashes salt cipher
	digest encoded decoded base encoding authentication authorization verify verification verified ignore ignored
	inherit inline literal dynamic static private public internal external global local managed shared manual
	automatic unspecified pending unknown denied granted accepted rejected allowed forbidden readonly writable
	sensitive confidential case visible invisible complete completed done later now soon today never always
	files compat systemd sss winbind nis
	bcrypt scrypt 1password lastpass keepass keepassxc bitwarden kubernetes argon2id
	contraseña senha wachtwoord hasło пароль parola heslo mot
`)

func remark(s string) bool {
	s, _, _ = strings.Cut(s, "|") // required|min:8
	return remarks[strings.ToLower(strings.TrimRight(s, "()[]{}<>!?,.;:"))]
}

// algorithms are words that stand before a number and are no secrets.
var algorithms = wordSet(`sha md aes rsa dsa ecdsa ed curve secp base utf oauth hs rs ps pbkdf argon bcrypt scrypt jwt
	http https tls ssl ip ipv v ver version ascii chacha blake`)

// isAlgorithm reports whether s is SHA-256, base64, OAuth2 or their like, alone
// or at the beginning: SHA-256-based.
func isAlgorithm(s string) bool {
	s = strings.ToLower(s)
	letters := 0
	for letters < len(s) && s[letters] >= 'a' && s[letters] <= 'z' {
		letters++
	}
	if !algorithms[s[:letters]] {
		return false
	}
	rest := strings.TrimLeft(s[letters:], "-_.0123456789")
	return len(s)-letters-len(rest) <= 5 && (rest == "" || isIdentifier(rest))
}

// countsThings reports whether s is a number with a word: 8-character, 12th, 16bytes.
func countsThings(s string) bool {
	n := digits.end(s, 0)
	rest := strings.TrimLeft(s[n:], "-+")
	return n > 0 && n <= 3 && allLetters(strings.ReplaceAll(rest, "-", ""))
}
