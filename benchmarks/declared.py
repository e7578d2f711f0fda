"""Makes harmless pieces of programs that declare what holds a secret: its type, its class, the call that makes it."""

from collections.abc import Iterator
from itertools import cycle, product

PASSWORDS = ("password", "passphrase", "pw")
NAMES = (*PASSWORDS, "token", "apiToken", "secret", "clientSecret", "apiKey", "credentials")
TYPES = """
String CharArray ByteArray Data SecureString Base64String Sha256Digest UInt8Array Ec2Credentials
V1Secret UInt64 NSString OAuth2Token Auth.Token List<String> Token<User2> Map<String,String> Secret<String> Array<UInt8>
""".split()
NUMBERED = "AccessToken2 JWTPayload2 KeyVault.SecretBundle2 SessionBlob3 Passkey2".split()
"""A password may look like one of these, and no token does."""
FORCED = ("let {}: {}!", "  {}: {}!", "type Query {{ me({}: {}!): User! }}", "var {}: {}! = nil")
OPTIONAL = """\
let {}: {}?
let {}: {}? = nil
val {}: {}? = null
fun login(user: String, {}: {}?)
struct Login: Codable {{ let email: String; let {}: {}? }}
data class Login(val user: String, val {}: {}?)
{}: {}?
{}: {}?,
    private(set) var {}: {}?
@Published var {}: {}?
lateinit var {}: {}
val {}: {}? by lazy {{ null }}
let {}: {}? = keychain["pw"]
override val {}: {}? get() = field
func set(_ {}: {}?) throws -> Bool
- {}: {}? (optional)
init({}: {}? = nil, url: URL) {{
{}?: {}
{}: {}
{}: {};""".splitlines()
DECLARED = """\
{}?: string | null;
{}?: string;
readonly {}?: string | undefined
{}: string | null = null;
{}: Uint8Array | null;
string? {} {{ get; set; }}
public string? {} {{ get; init; }} = null;
final String? {};
late final String? {};
String? {},
required String? {}, Key? key
{}: Option<String>,
{}: Option<&'a str>,
pub {}: Option<Secret<String>>,
{}: Option<Vec<u8>>,
{}: Result<Token2, Error>,
{}: Box<dyn TokenSource2>,
{}: Arc<RwLock<Option<String>>>,
{}: Zeroizing<[u8; 32]>,
{}: &'static str,
{}: [u8; 32],
{}: *const u8,
{}: SecretBox<[u8; 32]>,
{}: std::optional<std::string>,
{}: Optional[SecretStr] = None
{}: list[V1Secret] | None = None
{}: dict[str, V1Secret]
{}: Annotated[str, Depends(oauth2_scheme)]
{}: AccessToken2?
val {}: KeyVault.SecretBundle2? = null
{} Maybe String
{} :: Maybe Text
{} :: !ByteString
{}: ?[]const u8 = null,
{}: ?*const [32]u8,
{}: [UInt8]?
{}: [String: String]?
{}: (() -> String)?
{}: ((String) -> Token2)?
let {}: [UInt8]? = nil
?string ${} = null
private ?string ${};
{}: Nullable<String>;
val {}: Flow<Resource2<String>>?
val {}: suspend () -> String?
{}: kubernetes.client.V1Secret
{}: list[kubernetes.client.V1Secret]
{}: google.oauth2.credentials.Credentials
{}: _win32typing.PySECURITY_ATTRIBUTES | None = ...,
{}: _win32typing.PyCredHandle,
{}: botocore.credentials.Credentials2 | None
{}: azure.keyvault.v7_2.SecretBundle
{}: authentication.k8s.io/v1
{}: cert-manager.io/v1alpha2
{}: external-secrets.io/v1beta1
{}: networking.k8s.io/v1/Ingress""".splitlines()
MADE = """\
{} := &corev1.Secret{{}}
{} := &v1.Secret{{
{} := &oauth2.Token{{}}
{} := &api2.Token{{ID: 1}}
{} := credentials.NewStaticV4(
{} := corev1.Secret{{
{} = &v1beta1.SecretList{{}}
{} := new(corev1.Secret)
{}, err := oauth2.NewToken2(ctx)
return {}, &k8s.Secret{{}}
var {} = []*corev1.Secret{{
{} := []corev1.EnvVar{{{{
{} := map[string]*v1.Secret{{}}
{} := (*corev1.Secret)(nil)
{} := obj.(*corev1.Secret)
{} = &aws2.Credentials{{
creds := credentials.NewStaticV4(id, {}, "")
if {} == (v1.Secret{{}}) {{
let {} = Secret::new(rng.gen::<[u8; 32]>());
let {} = Token::<T2>::parse(&s)?;
let {} = Key::<Aes256Gcm>::from_slice(&b[..32]);
let {} = Password::<Argon2>::hash(pw)?;
let {} = token::<Vec<u8>>()?;
let {} = Secret::<{{ N2 }}>::random();
let {} = SecretString::new(rpassword::prompt_password("Password: ")?.into());
let {} = Token::V2(Vec::<u8>::new());
let {} = secret::derive_v2::<Sha256>(&ikm);
match {} {{ Token::Ident2(s) => s, Token::Number64(n) => n.to_string() }}
{} = Auth::OAuth2::AccessToken.new(client)
{} = Credentials::Builder2->make(1)
{} = App\\Token::V2_PREFIX . $id
use crate::{}::token::v2::Parser;
auto {} = crypto::secret::Vec32<uint8_t>(32);
const {} = await prompt("Password: ")?.trim();
{} = getpass("Password: ").strip()[:16]
{} = input("Token: ") or env["X2"]
{} = ask("API key: ", mask="*")!;""".splitlines()
SOURCES = """\
credential_source=Ec2InstanceMetadata
credential_source = Ec2InstanceMetadata
credential_source=EcsContainer
credential_source=Environment
The profile uses credential_source=Ec2InstanceMetadata.
credential_source: Ec2InstanceMetadata
"credential_source": "Ec2InstanceMetadata"
input LoginInput { email: Email!, password: Password! }
type Mutation { signUp(password: Password!, passphrase: Passphrase): User! }
newPassword: NewPassword!
password: Pbkdf2Password,
original positions--pass `strict=False`. To produce
Keep the order--pass `retries=3` to change it.
as it was--pass 'sort=None2' to it
assert maple_code(pw / 3) == "(1/3)*piecewise(x < 1, x, x^2)"
assert code(key / 3) == "(1/3)*x2"
"LockToken": "a1b2c3d4-5e6f-7a8b-9c0d-1e2f3a4b5c6d"
--lock-token a1b2c3d4-5e6f-7a8b-9c0d-1e2f3a4b5c6d
Password2
SecretToken2
AccessKey""".splitlines()
HASHED = """
AWS::IAM::AccessKey
AWS::ApiGateway::ApiKey
AWS::SecretsManager::Secret
AWS::MSK::BatchScramSecret
AWS::IoTManagedIntegrations::CredentialLocker
AWS::Route53::KeySigningKey
""".split()


def declared() -> Iterator[str]:
    """Every form with every name and, where it has one, every type."""
    for form, name, kind in product((*OPTIONAL, *FORCED), NAMES, TYPES):
        yield form.format(name, kind)
    for form, name, kind in product((*OPTIONAL, *FORCED), NAMES[len(PASSWORDS) :], NUMBERED):
        yield form.format(name, kind)
    for form, name in product((*DECLARED, *MADE), NAMES):
        yield form.format(name)
        yield form.format(name.title())
    yield from singular()


def some_declared() -> Iterator[str]:
    """Every form once, with one name and one type after another."""
    names, kinds = cycle(NAMES), cycle(TYPES)
    for form in (*OPTIONAL, *FORCED):
        yield form.format(next(names), next(kinds))
    for form in (*DECLARED, *MADE):
        yield form.format(next(names))
    yield from singular()


def singular() -> Iterator[str]:
    yield from SOURCES
    yield "[profile shop]\nrole_arn=arn:aws:iam::123456789012:role/x\ncredential_source=Ec2InstanceMetadata"
    for name in HASHED:
        yield f'"{name}": "62d91b17309e76c8",'
        yield f"'{name}': '62d91b17309e76c862d91b17309e76c8',"
