"""Makes harmless texts that look like secrets: identifiers, digests, public keys, placeholders, code, sentences."""

import base64
import random
from collections.abc import Iterator
from itertools import product

from benchmarks.declared import some_declared
from benchmarks.handed import TWINS
from benchmarks.leaks import SEED
from benchmarks.makers import ALNUM, BASE64, LOWER_HEX, UPPER, uuid

IDENTIFIERS = """keyboardShortcuts task_management_system skillsDirectoryPath tokenization_budget
disk-usage-monitor markdown-frontmatter risk-assessment-matrix-2024 desk-booking-service-v2
keyStoreProvider2 TokenBucketRateLimiter3
org.springframework.security.oauth2.provider.token.DefaultTokenServices
com.example.shop.auth.PasswordEncoderFactoryBean2 AbstractAuthenticationTokenProcessingFilter2
secret_santa_2024_participants passwordResetTokenGenerator3 sk-learn-compatible-estimators
pk_column_name_for_orders_2024 api_key_rotation_schedule_2025 hf_transfer_enabled
npm_config_registry ghp_style_prefix src/hansard/interfaces/cli/token_budget_2.py
node_modules/jsonwebtoken/lib/JsonWebTokenError.js /run/secrets/db_password
./config/keys/public_key_2024.pem ~/.ssh/id_ed25519.pub tests/auth/test_token_expiry_3.py
docs/adr/0003-token-budget.md secrets-manager-rotation-lambda-2 HANSARD_TOKEN_BUDGET_MAX_2
xoxb-prefix glpat-prefix sk-ant-prefix AKIA-prefix hvs.prefix eyJ-header
key-value-store-benchmark-results pat-na1-region api-gateway-timeout-2024-rollout
sdk-generation-pipeline-v2-rollback EAAA-test SG.prefix rnd_seed_value dapi-schema whsec_prefix
r8_compiler""".split()

SENTENCES = """The API needs a Bearer prefix.
The secret sauce is HNSW with M=32,efC=200
jwt: HS256/RS256/ES256K1
live_reload_is_on_for_all_pages2 and cs_config_2024 and npg_connection_pool
sk_prod_and_sk_dev_are_prefixes_of_keys_2024 and tr_prod_traffic_2024 and st.2024
deploy_key: see the wiki page 12; app_certificate: issued in 2024
The keypair [1, 2, 3] is a test vector.
The token is passed in the header.
Bearer authentication is required for every call.
Basic authentication is disabled on the new gateway.
A token is 32 characters long and expires after 3600 seconds.
The password is hashed with bcrypt, cost 12, since release 2.4.1.
Tokens are signed with ES256 and checked by the gateway.
The secret is stored in AWS Secrets Manager under prod/shop/db-password-v2.
Passwords need at least 12 characters, one digit and one symbol.
Ask ana for the password of the staging database, or reset it in Okta.
The key of the cache is user:42:profile:v3.
The primary key is order_id2 and the sort key is created_at.
The access token is refreshed 60 seconds before it expires.
Token budget is 4,000 per block; see issue #1234.
The password policy changed on 2026-03-01T10:00:00Z.
The secret name is shop-db-credentials-2024 in namespace prod-eu-1.
Use the key bindings Ctrl+Shift+P and Cmd+K Cmd+S.
The login page is at https://example.org/login?next=/orders/2024.
Our credentials are read from ~/.aws/credentials with profile prod-2024.
The token limit of gpt-4o-2024-08-06 is 128000 tokens.
The token comes from parseOAuth2Response in client.py.
Public keys are published at https://example.org/.well-known/jwks.json.
Password reset mails come from no-reply2@example.org.
type Mutation { login(email: String!, password: String!): Token! }
Username and password: see README.md#L42.
The token is made in e2e-tests/login.spec.ts#L40.
The secret is kv-v2/shop#db.
Its key: 01ARZ3NDEKTSV4RRFFQ69G5FAV
The tokenizer is sentencepiece-0.2.0 and its vocabulary has 32000 tokens.
Secrets are mounted at /run/secrets/db_password2 in every container.
The token was minted in commit 9fceb02d0ae598e95dc970b74767f19372d61af8.
Key findings: p95 fell from 120ms to 35ms after PR-1542.
Log in with SSO; passwords were retired in Q3-2025.
The key is base64-encoded and the secret is UTF-8.
JWTs have three parts: header.payload.signature.
Set password to null in test fixtures, the login is mocked there.
The password field has id user_password_2 and type=password.
Token refresh is handled by src/auth/refresh_token2.ts:120.
Basic understanding of Kubernetes1.29 is enough.
Every API key starts with two letters and is sent as X-Api-Key.
The seed is 42 and the recovery point is five minutes.
Secret scanning took 35ms for 1.2MB on an m5.large2 machine.
The passphrase prompt appears twice on macOS-14 runners.
We keep keys in 1Password and tokens in Vault-1.15.
Authorization: Bearer <token> is what the proxy expects.
Partition key is tenant#4821, sort key is 2026-03-01#INV-000123.
Keys like order#2026-03-01#000184 sort well.
Row key: 2026-03-01T10:00:00.123Z#eu-west-1#i-0abc123def4567890
The foreign key fk_orders_2024_customer_id#2 was dropped.
The registry key HKLM\\SOFTWARE\\Shop2\\v1.4 holds the port.
The key of the map is region#eu-west-1#2.
The password hash format is pbkdf2_sha256$600000$<salt>$<hash>.
The token address is a contract of chain 137, version v2.0.1-rc3.
login as deploy@10.2.3.4 with the agent, port 2222
Login times: p50=120ms p99=1.8s since 2026-03-01T10:00Z
Unexpected token } in JSON at position 1823
The parser stops at token '0x7fff5fbff8c0' in line 3.
pass 1: 214 ok, pass 2: 211 ok, 3 flaky
Pass `--retries=3` and `-x` to the runner, then pass 2.5e-3 as the limit.
Bearer of bad news: build 4821 is red on arm64.
The passwords must match ^[A-Za-z0-9]{12,64}$ since v3.
The config key http.server.maxThreads2 is ignored.
The secret of v2.3.1 is batching 64 rows per call.""".splitlines()


PLACEHOLDERS = """${VAR}|$DB_PASSWORD|<your-password>|<password>|{{ vault_password }}|%(password)s|changeme
CHANGE_ME|********|xxxxxxxxxxxx|your-api-key-here|YOUR_TOKEN_HERE|example-secret-key
placeholder|$(pass show db/prod)|os.environ["API_KEY"]|process.env.API_KEY2
settings.DB_PASSWORD|getpass.getpass()|config.get("password2")|None|null|string|required|!vault
{env:DB_PASSWORD2}|${{secrets.DEPLOY_TOKEN}}|secretsmanager:prod/db|[hidden]|...|str
Optional[str]|hunter2|read from stdin|self.token_for(user2)|Field(default=None)|(unset)
base64-encoded""".replace("\n", "|").split("|")
NAMES = ("password", "DB_PASSWORD", "api_key", "client_secret", "accessToken")
FORMS = ("{}={}", '"{}": "{}"', "{}: {}")
HARMLESS_FIELDS = """password_file=/run/secrets/db2 token_url=https://auth.example.org/oauth2/token
secret_name="shop-db-2024-credentials" password_min_length=12
token_expires_at="2026-03-01T10:00:00Z" max_tokens=128000 tokenCount: 4096
key_id="8f14e45fceea167a5a36dedd4bea2543" secretRef: shop-credentials-v2 token_type="Bearer2"
public_key="MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE" passwordPolicy: strong-12-chars
keyboard="qwerty-us-intl-2" primaryKey="order_id_2024" cache_key="user:42:profile:v3"
sort_key=created_at_2024 partitionKey: tenant#42 compass=north2024 passenger_name=Maria2024
tokenizer="cl100k_base" author=ana2024 authority=ca-root-2024 bypass=true2024
monkey="banana2024" hotkey="ctrl+shift+p" turkey=istanbul2024 secretary=bob2024
tokens_per_second=1532.7 password_hash_algorithm=argon2id""".split()
PROGRAMS = (
    "password: str = Field(..., min_length=8)",
    "def login(password: str, retries=3):",
    "warn('keys and values must be strings.', Warning, stacklevel=3)",
    "token = st.text(alphabet, max_size=8)",
    "key = base64.urlsafe_b64decode(key)",
    "private_key: Ed25519PrivateKey",
    "def encode(self, private_key: ed25519.Ed25519PrivateKey) -> bytes:",
    "password = config.get('password2')",
    'token := r.Header.Get("X-Auth-Token2")',
    "const token = cookies.get('token') ?? ''",
    "const name = process.env.TOKEN_NAME || 'shop-token-2'",
    "password = f'pw-{user2}-{number}x2'",
    "let password = String::from(settings.password2);",
    "password = SecretStr(os.environ['DB_PASSWORD2'])",
    "if (token || password2) { return next(); }",
    "auth=HTTPBasicAuth(cfg.user, cfg.pass2)",
    "auth: Depends(get_current_user_v2)",
    "password = random_password.db2.result",
    "redis-cli -a $REDIS_PASSWORD ping",
    "mongosh -u root -p $MONGO_PASSWORD2",
    "mongod --port 27017 -p 4",
    "curl -unix-socket /run/docker.sock http://localhost/v1.43/info",
    'htpasswd -bc .htpasswd ana "$PASSWORD2"',
    'echo "root:$ROOT_PASSWORD2" | chpasswd',
    "echo $CI_TOKEN2 | docker login -u ci --password-stdin",
    "ConvertTo-SecureString $password2 -AsPlainText -Force",
    "requirepass ${REDIS_PASSWORD2}",
    "| user | password |\n|---|---|\n| ana | min12chars |\n| bob | see vault2 |",
    "| token | kind | line |\n|---|---|---|\n| `foo_2bar` | name | 12 |\n| `==` | sign2 | 14 |",
    "| field | password | since |\n|---|---|---|\n| hash | argon2id | v2.1 |",
    "token,count\nhello2,12\nworld,7\n",
    "name,secret,region\nshop-db,prod/shop/db-2,eu-west-1\n",
    "first, password\nsecond, Version2",
    "password: >\n  ask ana2 for it",
    "password:\napi_key2: ${API_KEY2}",
    "token =\nendpoint2 = https://api.example.org",
    "docker pull docker://alpine:3.19@sha256:0a1b",
    "bypass=true2024, compass: north2024, encompass = all2024, trespass2=no",
    "https://x-access-token:${GITHUB_TOKEN2}@github.com/org/repo.git",
    "https://token:<token2>@git.example.org/shop.git",
    "https://example.org/list?key=order-2024&page=2",
    'variable "db_password" {\n  type = string\n  sensitive = true\n}',
    'variable "token_lifetime" {\n  default = "12h30m45s"\n}',
    'variable "db_password" {\n  default = "${var.password2}"\n}',
    "auth:\n  image: shop2\n  ports: [8080:80]",
    "auth:" + "\nimage2:shop-v2#1",
    "cert SHA1 fingerprint: 5D:E3:E0:50:9C:47:EA:3C:F0:4A",
    "password: ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UQ=,type:str]",
)
"""What programs, commands and tables say of secrets without holding one."""
SIGNED = r"""password = get_password(user)
password = getPass2(User.Id9,x)
password: string;
if password != other && ok
if (password!==User.pw2&&retries<3) return
pwd=$(pass show x)
PASSWORD=$(aws-get2 Prod/DB1)
password: Optional[Str2]=None
const password=a[i]+B2(c);
password: /^(?=.*[A-Z])(?=.*\d).{8,}$/
password=^[A-Za-z0-9!@#$]{8,32}$
password:{type:String,minlength:8}
password: String(10),nullable=False
password: z.string().min(8).max(64).regex(/[A-Z]/)
passwords.map(p=>p.Id2)
$pwd = Win32::GetCwd();
secret: Foo<Bar2>(x)
auth: Bearer<Token2>
token=Map<String,List<Int2>>
token: i+1;null!=(_a=value[i+1])&&_a.match
--password=%PASSWORD2%
password: &#x3C;string|Buffer2&#x3E;
auth=%E3%83%92:%E3%82%AD
password: $self->{Inf}->Crc32
password=#{Config.fetch2}
password: <%=Env.fetch(:pw2)%>
password: {{.Values.db2.Password}}
password | Type=String(32)
The password is required.
The password is in 1Password(Team-Vault2).
The password field is user[Password2].
Password: ask Maria(ext.4711)
Password must match [A-Z]{2}[0-9]{4}!
The password goes to Ana.Smith2@Example.org.
password for git@github.com:Acme/Shop2.git
password: deploy@Host-7.example.org:2222
password strength >= 3 (zxcvbn@4.4.2-Beta)
The token TOKEN_1(abc) is Lexer#2
The passwords (Argon2id,Bcrypt12,PBKDF2) are hashed.
| password | String(64) | NOT NULL |
| Passwort | VARCHAR(255),Index2 |
cursor token b2Zmc2V0OjEwMA== means offset:100
The next page token Zm9vOjEyMzQ1Njc4OTA= is opaque.
storePassword "$STORE_PASSWORD2"
keyPassword project.property('KEY_PASSWORD2')
ssh-keygen -t ed25519 -N "" -f deploy_key2
curl -b cookies2.txt https://example.org
curl --cookie "theme=dark" https://example.org/v2
SMTP answers AUTH LOGIN and AUTH XOAUTH2 since v2
Enter argon2id as the password hash function
La clave: usar HTTP/2 en todos los servicios
The enclave: sgx2 with 128 MB
u+0041 is the letter A; u+1F600 is a face
Use postgres16 as the password database
mc alias set local2 http://localhost:9000 $USER2 $PASS2
sqlcmd -S db2 -U sa -P $SA_PASSWORD2 -Q 'select 1'
rabbitmqctl add_user ana $RABBIT_PW2
net user ana2 /add
net use Z: /delete /user:ana2
auth methods: ["password", "oauth2", "saml2-post"]
fields = ["username", "password", "email_2"]
tags: ["auth", "password", "sprint-42"]
login('ana', 'password', 'localhost:22')
max_tokens = 200000
"password": ["VALIDATION_ERR_42"]
password: ["min_length_8", "has_upper"]
passwords = PBKDF2WithHmacSHA256
passwords: LoginV2Page
tokens: o200k_harmony
auth: ["OAuth2ClientCredentials"]
credentials: ["Ed25519Signature2020"]
<td>Password</td><td>PasswordBox1</td>
<td class="name">token</td><td class="type">AccessTokenV2</td>
<dt>auth_token</dt><dd>See section 4.2.1</dd>
<key>PasswordVersion</key><string>1.0.12</string>
auth.cart.token10=org.shop.Cart10Provider
auth_grant: OAuth2AuthorizationCodeGrant
"ClientToken": "6f1c2e9a-3b7d-4c58-9e21-7a4d5b8c0f13"
idempotency_token=6f1c2e9a-3b7d-4c58-9e21-7a4d5b8c0f13
aws dynamodb list-tables --starting-token eyJFeGNsdXNpdmVTdGFydEtleSI6IG51bGwsICJib3RvX3RydW5jYXRlX2Ftb3VudCI6IDF9
aws cognito-idp forgot-password --client-id 38fjsnc484p94kpqsnet7mpld0
aws cognito-idp create-user-pool-client --token-validity-units AccessToken=minutes,IdToken=minutes
vault token lookup -accessor 9793c9b3e04f4da4bd
token_accessor: 9793c9b3-e04f-46f3-d5b6-a8b5b0ab0d1d
pass    # 0**negative
askPassSetInConfig: config?.core?.askpass
"output_token": "Jobs[-1].JobId"
fmt.Sprintf("%s:%s@tcp(%s:%d)/%s", user, pass, host, port, db)
root:{{.Password}}@tcp(db:3306)/shop
user:password@tcp(localhost:3306)/db
${DB_USER}:${DB_PASS2}@tcp(db:3306)/shop
password: ${DB_PASSWORD:-changeme}
password: ${DB_PASSWORD:?must be set in step 2}
password: ${DB_PASSWORD:-${OTHER_PASSWORD2}}
Build openssl as in step 2, then pytest -k test_guard_forms2
secret { "k8sSecretRef" }
password: ("PasswordField2", True)
WIFI:T:nopass;S:shop-guests;;
twine upload -p $TWINE_PW2 dist/*
https://example.org/?appid=order-2024
score 2/1 and 1/12 of 2026:12""".splitlines()
"""What has the signs of a password behind its name and is a piece of a program, a pattern, an address or a sentence."""
COLONS = """token_refreshed: 12:30:45
auth=12:30:45
token refreshed at 12:30:45.123Z
token:ratio 16:9, secret ratio 3:2
token: urn:uuid:1f0c3a52-9b7e-4c1d-8a6f-0d2e4b6c8a1f
token: urn:ietf:params:oauth:token-type:access_token2
auth: src/auth/token2.py:120:14
token=src/auth/login_v2.ts:12:5
auth: ghcr.io/acme/auth:1.29.3-alpine3.19
auth: ghcr.io/acme/auth:sha-9fceb02d0ae5
image: ghcr.io/acme/auth:sha-9fceb02d0ae5
token=registry.example.org/shop/token:9fceb02
image: acme/token:9fceb02d0ae5
auth=2001:db8:85a3:8d3:1319:8a2e:370:7348
auth_server: 2001:db8::8a2e:370:7334
auth = fe80::1ff:fe23:4567:890a
token: 5D:E3:E0:50:9C:47
secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/db-a1B2c3
auth_token: vault:secret/data/shop#api_token2
password=env:DB_PASSWORD2
password: file:/run/secrets/db2
password=ssm:/prod/shop/db-password2
client_secret=keyvault:shop-prod:client-secret-v2
api_key=secretsmanager:prod/search/api-key-2024
secret=projects/123456/secrets/db2:latest
token=HEAD:src/auth/token2.py
token: refs/heads/token2:refs/heads/main
git show HEAD~3:src/auth/token2.py
a.token:hover{color:#a1b2c3}
.auth:nth-child(2n+1) { margin:0 }
- token:/run/secrets/token2:ro
- auth-data2:/var/lib/auth2:ro
auth: 8080:80
login: 10.2.3.4:2222
token:user:42:profile:v3
auth:user:42 -> allow, auth:group:7f -> deny
jwt: RS256:kid-2024-03:v2
MY_PATH=/opt/shop2/bin:/usr/local/bin
PATH=/usr/lib/jvm/java-17-openjdk-amd64/bin:/usr/bin
Bearer https://auth.example.org/v2/oauth2/token
Authorization: https://auth.example.org/v2/oauth2/token
Bearer src/auth/bearer2.py:120:authenticate_the_request""".splitlines()
"""What has colons and says where or when something is: times, ratios, lines of files, images, addresses, references."""
PATS = """UNRESERVED_PAT = r"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._!"
SLUG_PAT = "^v[0-9]+-[A-Za-z0-9]{12,64}$"
Pat: see above
Pat: merged feature/login-v2 into main2
Pat: 9fceb02d0ae598e95dc970b74767f19372d61af8 broke the build
Pat said the build of 9fceb02d0ae598e95dc970b74767f19372d61af8 is red.
Pat moved it to queue Xk29dkq0Zp81LmVt73Qw since May
Pat Smith: reviewed PR-1542 in 3 hours
Pat is on call until 2026-03-01T12:30:45Z
A PAT is a personal access token with 52 characters.
The PAT is valid for 90 days
pat: null
pat = patterns[0]
pattern=^[A-Za-z0-9]{12,64}$
pattern: feature/AB-1234-x9y8z7w6v5u4
path: node_modules/.pnpm/esbuild@0.19.12_a1b2c3d4e5f6
patch=fix-9fceb02d0ae598e95dc970b74767f19372d61af8
compat: es2022-node18-a1b2c3d4
COMPAT_LEVEL=160-sqlserver2025-cu12
expat=2.6.2-a1b2c3d4
GITHUB_PAT=${GITHUB_PAT2}
GITHUB_PAT=<your-pat-2>
AZURE_DEVOPS_EXT_PAT=$(az-token2)
az devops login --pat $MY_PAT2
pat_expires_at=2026-03-01T12:30:45Z
access_token$production$<merchant>$<32 hex>
PRIMARY_KEY=order_id_2024_customer_id
GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D
BUILD_KEY=9fceb02d0ae598e95dc970b74767f19372d61af8
ROUTE_KEY=orders-by-customer-and-region-2024
TENANT_KEY=1f0c3a52-9b7e-4c1d-8a6f-0d2e4b6c8a1f
Authorization: Bot <token2>
Authorization: OAuth 2.0 with PKCE
Authorization: oauth see-section-4.2-of-rfc6749
sqlplus shop@db2
jdbc:oracle:thin:@//db2.internal:1521/shop2
ldapsearch -D cn=admin -W -b dc=example2
zip -r backup2.zip src2
echo "done2" | sudo tee /etc/x
npm config set //r.example.org/:_authToken ${NPM_TOKEN2}
kubectl create secret generic db --from-literal=url=https://example.org
requests.get(url, auth=('user2', password2))
requests.get(url, auth=('user', 'password'))""".splitlines()
"""What is called Pat or only begins so, and what is written as a secret would be and is none."""
MIXED_NAMES = """parseOAuth2Response AbstractAuthenticationTokenProcessingFilter2 Ed25519PrivateKey ChaCha20Poly1305
X25519Kyber768 ECDHEP256Sha384 AES256GcmNoPadding HmacSha256V2 PBKDF2Sha512 K8sApiServerV2 iPhone15ProMax GPT4oMini2024
Claude3Opus20240229 Mixtral8x22BInstruct Ubuntu2204Lts macOS14Sonoma OAuth2PKCEFlow I18nKeyForV2API IPv6ToIPv4Nat64
Build20260301Rc1 Sprint12Q3FY2026 HTTP2OverTLS13 JWTsInOAuth2 Wpa2PskAes256 PydanticDeprecatedSince210""".split()
"""Names of engineers that have a small letter, a capital and a digit, as many passwords do."""
MIXED_FORMS = ("The password is {}.", "the token is {}", "The API key is {} now", "Use password {} there", "secret {}")
METHODS = """password_encryption = scram-sha-256
SET password_encryption = 'scram-sha-256';
auth_methods = ["password", "scram-sha-256"]
'password' => 'required|string|min:8|confirmed',
'password' => 'nullable|string|min:12|max:64',
password_algo=pbkdf2-sha512-v2
passwordEncoder=bcrypt-2b-12
password_storage = PBKDF2-SHA512-210000
password_hashing = bcrypt-cost-12
password_hasher: argon2id-m65536-t3-p4
PASSWORD_HASHERS=pbkdf2_sha256-600000
password_validation=min8-max64-upper1-digit1
hash_password(password, 'bcrypt-2b-12')
the token is ~40 characters, e.g. [a-f0-9]{40}
A token looks like [0-9A-F]{8}-[0-9A-F]{4}
- secret: projectName/Api2Key
secret: prod/Shop2Api/dbKey1
secret: teamA/Api2Key/v3
token_algorithm=HS256-v2""".splitlines()
"""How passwords are kept and checked, what a token looks like, and where a secret is."""
POSITIONS = ('next_page_token: "{}"', 'page_token="{}"', '"nextPageToken": "{}"', "continuationToken={}",
             "sync_token: {}", "nextSyncToken: {}", "resumeToken: {}", "next_batch_token={}", "page token: {}",
             "The next page token is {}.", "sync token {} expired")  # fmt: skip
"""What is called a token and is a place in a list."""
LOCKS = ("integrity sha512-{}==", '"resolved": "https://registry.example.org/a/-/a-1.2.3.tgz#{}"', "--hash=sha256:{}",
         'sha256 "{}"', "image: shop@sha256:{}", 'ETag: "{}"', "commit {}", "md5: {}", "Merge {} into main",
         'checksum = "{}"', "object {} (blob)", "trace_id={} span_id=00f067aa0ba902b7")  # fmt: skip
QUERIES = ("https://example.org:443/a?mail=Ana1@example.org", "https://host:8443?x=Ab1&y=a@b", "https://example.org:8443#A1?b&c@d",
           "http://localhost:3000/v1/Users?filter[Email]=Ana9%40x.org&to=Bob@x.org", "kafka://a:9092,b:9092/t?x=Y1&m=a@b",
           "https://u:${P}@h/a?b=C1&d@e", "https://example.org:8080/Users/@me/List2?x=A-B_9#frag@2x",
           "redis://:changeme@cache/0?x=A1@b", "https://example.org:443/npm/Vue@3.4.2/Vue.js?x=1")  # fmt: skip
"""Addresses in which something stands behind a colon and before an at sign, and is a port, a path or a question."""
REMOTES = ("git@github.com:shop/web.git", "https://github.com/shop/web.git", "ssh://git@example.org:2222/shop.git",
           "postgresql://user:password@host:5432/db", "postgres://postgres:postgres@localhost/test", "redis://localhost:6379/0",
           "https://user:pass@example.org/", "mysql://${DB_USER}:${DB_PASS}@db/shop", "amqp://guest:guest@localhost:5672/",
           "http://localhost:8080/a@b", "https://example.org/@ana/posts:42", "mongodb://<user>:<password>@cluster0/shop",
           "ftp://ftp.example.org:21/pub", "postgresql://shop@db.internal/shop", "https://example.org:8443/x?y=a:b@c",
           "docker run -u 1000:1000 shop", "ftp://anonymous:anonymous@ftp.example.org",
           "sftp://{user}:{password}@host/x", "mailto:ana@example.org")  # fmt: skip


def lookalikes() -> list[str]:
    """All of them, the same in every run."""
    return list(dict.fromkeys(_texts(random.Random(SEED))))


def _texts(chance: random.Random) -> Iterator[str]:
    yield from (*SENTENCES, *TWINS)
    for name in IDENTIFIERS:
        yield name
        yield f"Rename `{name}` before the release, it says too little."
    for value, (name, form) in product(PLACEHOLDERS, product(NAMES, FORMS)):
        if chance.random() < 0.7:
            yield form.format(name, value)
    yield from HARMLESS_FIELDS
    yield from PROGRAMS
    yield from some_declared()
    yield from (form.format(name) for form, name in product(MIXED_FORMS, MIXED_NAMES))
    yield from METHODS
    yield from (form.format(_some(chance, alphabet, 22)) for form in POSITIONS for alphabet in (ALNUM, LOWER_HEX))
    yield from (f"{form}s72594_4483_1934" for form in ("sync_token: ", "next_batch="))
    yield f"commit token: {_some(chance, LOWER_HEX, 40)}"
    yield f"The token for the fix is in its commit: {_some(chance, LOWER_HEX, 40)}"
    yield f"The secret of the release notes: sha1 {_some(chance, LOWER_HEX, 40)}"
    yield from COLONS
    yield from PATS
    yield from SIGNED
    yield from (f"remote origin is {one} since Monday" for one in (*REMOTES, *QUERIES))
    for form in LOCKS:
        for size in (32, 40, 64):
            yield form.format(_some(chance, LOWER_HEX, size))
    for _ in range(12):
        yield f"integrity: sha512-{_some(chance, BASE64, 86)}=="
        yield f"Run {uuid(chance)} failed on node {chance.randrange(99)}, token usage {chance.randrange(9999)}"
        yield f"id 01{_some(chance, UPPER.replace('I', 'J').replace('L', 'M').replace('O', 'P').replace('U', 'V'), 24)}"
        yield f"#{_some(chance, LOWER_HEX, 6)}; background: #{_some(chance, LOWER_HEX, 8)}; key color"
        yield f"v{chance.randrange(9)}.{chance.randrange(30)}.7-rc.{chance.randrange(9)}+{_some(chance, LOWER_HEX, 7)}"
    yield from public(chance)
    yield from _blobs(chance)


def public(chance: random.Random) -> Iterator[str]:
    """What is called a key or a token and may be known to everybody."""
    base32 = UPPER.replace("I", "J").replace("L", "M").replace("O", "P").replace("U", "V")
    ulid, half = f"01{_some(chance, base32, 24)}", _some(chance, BASE64, 43)
    yield f"Primary keys are ULIDs such as {ulid}."
    yield f"primary key {ulid} was deleted twice"
    yield f"object key prod/2026/03/01/{_some(chance, LOWER_HEX, 16)}/part-00003-c000.snappy.parquet"
    yield f"KMS key arn:aws:kms:eu-west-1:123456789012:key/{uuid(chance)}"
    yield f"cache-key: node-modules-{_some(chance, LOWER_HEX, 64)}"
    yield f"the key is the version id {_some(chance, ALNUM, 32)}"
    yield f"minisign public key RWQ{_some(chance, ALNUM, 53)}"
    yield f"age recipient key age1{_some(chance, UPPER.lower(), 58)}"
    yield f"The VAPID public key is B{_some(chance, ALNUM, 86)}"
    yield f"stripe publishable key pk_test_{_some(chance, ALNUM, 24)}"
    yield f"Mapbox public token pk.eyJ{_some(chance, ALNUM, 40)}.{_some(chance, ALNUM, 22)}"
    yield f"reCAPTCHA site key 6Le{_some(chance, ALNUM, 37)} is public"
    yield f"cosign.pub key: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{_some(chance, ALNUM, 40)}"
    yield f"place key ChIJ{_some(chance, ALNUM, 23)}"
    yield f"token mint {_some(chance, ALNUM, 44)}"
    yield f"Sentry DSN https://{_some(chance, LOWER_HEX, 32)}@o12345.ingest.sentry.io/4504"
    yield f"The token was checked in run {_some(chance, LOWER_HEX, 32)}."
    yield f"The password reset of trace {_some(chance, LOWER_HEX, 32)} failed."
    yield f"auth: ghcr.io/acme/auth:1.2@sha256:{_some(chance, LOWER_HEX, 64)}"
    yield f"secret: acme/vault@sha256:{_some(chance, LOWER_HEX, 64)}"
    yield f"token=sha256:{_some(chance, LOWER_HEX, 64)}"
    yield f"cache_key={uuid(chance)}:{_some(chance, LOWER_HEX, 32)}"
    yield f"CACHE_KEY=node-modules-{_some(chance, LOWER_HEX, 64)}"
    yield f"client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{_some(chance, ALNUM, 80)}"
    yield f"docker://alpine:3.19@sha256:{_some(chance, LOWER_HEX, 64)}"
    for name in ("PublicKey = ", "public_key: ", "host_key ", "verify_key=", "cache_key: ", "public key: "):
        yield f"{name}{half}="


def _blobs(chance: random.Random) -> Iterator[str]:
    """What is long and random and public: images, certificates, public keys."""
    for size in (200, 900, 4_000):
        coded = base64.b64encode(chance.randbytes(size)).decode()
        yield f"![logo](data:image/png;base64,{coded})"
        yield f"url(data:font/woff2;base64,{coded})"
        yield f"ssh-rsa AAAAB3NzaC1yc2E{coded} ana@laptop"
        lines = "\n".join(coded[at : at + 64] for at in range(0, len(coded), 64))
        yield f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----"
        yield f"-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----"
        yield f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{lines}\n-----END PGP PUBLIC KEY BLOCK-----"
        yield f"-----BEGIN PGP SIGNATURE-----\n\n{lines}\n-----END PGP SIGNATURE-----"
        yield f"stored as {coded} in the attachment"
    yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{_some(chance, BASE64, 43)} deploy key of the mirror"
    yield f"age1{_some(chance, UPPER.lower(), 58)} is the public recipient"
    yield f"pk_{'live'}_{_some(chance, ALNUM, 24)} is the publishable half and meant for browsers"
    yield "AKIA" + "IOSFODNN7" + "EXAMPLE and wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY are Amazon's examples"
    yield "ghp_" + "x" * 36 + " is how such a token looks"


def _some(chance: random.Random, alphabet: str, size: int) -> str:
    return "".join(chance.choices(alphabet, k=size))
