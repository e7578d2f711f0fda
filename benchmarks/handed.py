"""How a secret is handed to a call, a command or an address, and the harmless twins of these forms."""

from collections.abc import Sequence

from benchmarks.makers import ALNUM, BASE64, LOWER_HEX, URL_SAFE, Make, of

VALUES: Sequence[Make] = (
    of(URL_SAFE, 43), of(BASE64, 43, "", "="), of(ALNUM, 32), of(LOWER_HEX, 32), of(LOWER_HEX, 64),
)  # fmt: skip
"""What common generators make: bytes in base64 of both alphabets, letters and digits, and bytes in hexadecimal."""
HANDED = (
    'os.Setenv("API_TOKEN", "{}")',
    'env::set_var("TOKEN", "{}");',
    "localStorage.setItem('token', '{}')",
    'req.setRequestHeader("X-Auth-Token", "{}")',
    "headers.append('X-Api-Key', '{}')",
    'map.put("client_secret", "{}");',
    'map.put("password", "{}");',
    'System.setProperty("token", "{}")',
    'conf.set("auth_token", "{}")',
    'monkeypatch.setenv("API_TOKEN", "{}")',
    "define('API_TOKEN', '{}');",
    'pair = ("token", "{}")',
    'params := []string{{"token", "{}"}}',
    'var token string = "{}"',
    'var password string = "{}"',
    'const secret: string = "{}"',
    'let token: String = "{}".into();',
    "Bearer: {}",
    'bearer: "{}"',
    "expect(password).toBe('{}')",
    "expect(token).to.equal('{}')",
    'assertThat(password).isEqualTo("{}")',
    "page.getByLabel('Password').fill('{}')",
    "docker login -u ana -p {} registry.example.org",
    "podman login -p {} registry.example.org",
    "az login --service-principal -u app -p {} --tenant shop",
    "npm config set //registry.example.org/:_authToken {}",
    "DB_PASS {}",
    "Root password for db-1 = {}",
    "the password of grafana is now {}",
    "The password for ana was changed to {}",
    "login with ana / {}",
    "apikey {}",
    "https://example.org/go?to=%2Flogin%3Fuser%3Dana%26password%3D{}%26next%3Dhome",
    "state%3D1%26access_token%3D{}%26x%3D2",
    "password: {}[REDACTED:token]",
    "[REDACTED:password={}]",
)
TWINS = """localStorage.setItem('theme', 'dark-blue_2')
localStorage.setItem('token', token)
headers.append("Accept-Language", "de-CH,de;q=0.9")
req.setRequestHeader('X-CSRF-Token', token)
req.setRequestHeader("X-Api-Key", "your-api-key-here-1234")
map.put("tokenizer", "cl100k_base/gpt-4o_2024-08")
t("password", "Enter your password")
t("token", "Paste-your-API-token-here_2")
assertEquals("password", field.getName())
assertEquals("token", "ACCESS_TOKEN_2/Type-Of-3")
{"password": "Passwort ändern", "token": "Zugriffstoken kopieren"}
page.getByTestId("password", "login-Form_password-Input-2")
define('TOKEN_TABLE', 'wp_user_tokens_v2')
os.Setenv("API_TOKEN", "${API_TOKEN_V2}")
os.Setenv("API_TOKEN", "/var/run/secrets/kubernetes.io/serviceaccount/Token2")
System.setProperty("auth", "org.example.shop.auth.BasicAuthProviderV2")
conf.set("auth_token", "vault:secret/data/Shop-2/API_Token#value")
grid.add("token", "https://auth.example.org/oauth2/v1/Token-Endpoint_2")
pair = ("secret", "kubernetes.io/dockerconfigjson")
pair = ("auth", "SHA256withRSA/ECB/PKCS1Padding-2048")
pair = ("secret", "AES/GCM/NoPadding-256_HmacSHA512")
pair = ("credentials", "src/test/resources/GoogleCredentials-2Test.json")
pair = ("jwt", "application/vnd.shop.v2+jwt-Token_Type1")
pair = ("secrets", "aws-ssm/Shop-Prod_EU1/RDS-Password_V2")
pair = ("token", "Access-Control-Allow-Headers_V2-Test1")
pair = ("token", "2026-03-01T10:00:00Z")
expect(password).toBe('Passwort-vergessen')
expect(token).toEqual('mock-token-1')
expect(token).toBe("access_token_2/refresh-Token_3")
expect(getByText('Password')).toHaveAttribute('type', 'password')
expect(getByLabelText('password')).toHaveAttribute("autocomplete", "current-password2")
page.getByLabel('Password').fill('password123')
str(password).encode('latin-1')
Bearer: application/json
bearer: bearerAuth2
bearer: token-of-the-user-2
The bearer: 3 of 4 people in v2.4.1-rc2
var password string = "password"
var secretName string = "db-credentials-v2"
var tokenType string = "urn:ietf:params:oauth:token-type:jwt"
docker login -u ana -p $TOKEN registry.example.org
docker login -u ana --password-stdin
docker login ghcr.io && docker run -p 127.0.0.1:8080:80 shop
docker login; docker run -p 8080:80 shop
az login --service-principal -u app -p "$AZ_PASS" --tenant shop
all tests pass 3f786850e387550fdab836ed7e6dc881de23001b
The token of commit 3f786850e387550fdab836ed7e6dc881de23001b is gone
the password page of grafana is now at 3f786850e387550fdab836ed7e6dc881de23001b
The password for the shop is set by Terraform-1.5.7
The token for staging is now 3 days old
The apikey header X-Api-Key-V2 is required
redirect?scope%3Dtoken%26state%3Dready2go
https://example.org/?u=%2F%3Fpage_token%3DCAUQAA1234567890abcdefgh%26x
grant%3Dpassword%26password%3Dchangeme123
response_type%3Dtoken%26id_token%3Dtrue%26password%3D%7Bpassword1%7D
as-implementedInVersion12x and as-Is2AndWithoutWarranty99
fw_downloadFirmwareImage2x and fw_UpdateConfigurationTab
re_Compiled_PatternForMatchingNumber
Vault: this.s.thatIsALongMethodName123
password: see [REDACTED:password]
token: your-[REDACTED:token]
password=[REDACTED:password][REDACTED:token]""".splitlines()
"""The same forms with names, words, paths and placeholders in them."""
