"""Credentials that are known by how they are made: an issuer's prefix, an alphabet, a length. No guess by entropy."""

from __future__ import annotations

from muniment.write.secrets.detector import NOT_AFTER, NOT_BEFORE, Detector, LazyPattern, shaped


def _token(sort: str, shape: str, needles: str) -> Detector:
    """A token that stands alone. One whose needles are in many texts is known by its shape too, whatever is around."""
    sought = tuple(needles.split())
    whole, many = LazyPattern(f"{NOT_BEFORE}(?:{shape})"), min(map(len, sought)) <= 3
    return Detector(sort=sort, find=shaped(whole), needles=sought, gate=LazyPattern(shape) if many else None)


_WORD = r"[A-Za-z0-9]"
_NAME = r"[A-Za-z0-9_-]"
_HEX = r"[0-9a-f]"
_UUID = rf"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}"

_CLOUD = (
    (
        "AWS",
        r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[0-9A-Z]{16}" + NOT_AFTER,
        "akia asia agpa aida aroa anpa anva abia acca",
    ),
    ("Google", rf"AIza{_NAME}{{30,}}", "aiza"),
    ("Google sign-in", rf"(?:GOCSPX-{_NAME}{{20,}}|ya29\.{_NAME}{{20,}}|1//0{_NAME}{{30,}})", "gocspx- ya29. 1//0"),
    (
        "Azure application",
        r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}",
        " ".join(f"{digit}q~" for digit in "0123456789"),
    ),
    ("Azure storage", r"sig=[A-Za-z0-9%/+]{40,}={0,2}", "sig="),
    ("Alibaba", r"LTAI[0-9A-Za-z]{12,26}" + NOT_AFTER, "ltai"),
    ("Tencent", r"AKID[0-9A-Za-z]{32}" + NOT_AFTER, "akid"),
    ("DigitalOcean", rf"do[opr]_v1_{_HEX}{{64}}", "_v1_"),
    ("Heroku", rf"HRKU-{_NAME}{{30,}}", "hrku-"),
    ("Fly", rf"(?:FlyV1 )?fm[12][ar]?_[A-Za-z0-9+/=_-]{{40,}}|fo1_{_NAME}{{40,}}", "fm1 fm2 fo1_"),
    ("Netlify", rf"nfp_{_WORD}{{36,}}", "nfp_"),
    ("Render", rf"rnd_{_WORD}{{28,}}", "rnd_"),
    ("Supabase", rf"sb(?:p|_secret)_{_NAME}{{22,}}", "sbp_ sb_secret_"),
    ("PlanetScale", rf"pscale_(?:tkn|oauth|pw)_{_NAME}{{32,}}", "pscale_"),
    ("Databricks", rf"dapi{_HEX}{{32}}(?:-\d)?" + NOT_AFTER, "dapi"),
    ("Vault", rf"hv[sbr]\.{_NAME}{{24,}}", "hvs. hvb. hvr."),
    ("Terraform", rf"{_WORD}{{14}}\.atlasv1\.{_NAME}{{60,}}", ".atlasv1."),
    ("Pulumi", rf"pul-{_HEX}{{40}}", "pul-"),
    ("Doppler", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_WORD}{{40,44}}", "dp."),
    ("Yandex", rf"AQVN{_NAME}{{35,38}}|y0_{_NAME}{{50,}}", "aqvn y0_"),
    ("Cloudflare", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}", "v1.0-"),
    ("Infracost", rf"ico-{_WORD}{{32}}" + NOT_AFTER, "ico-"),
    ("Scalingo", rf"tk-us-{_NAME}{{48}}", "tk-us-"),
    ("Tailscale", rf"tskey-[a-z]+-{_WORD}{{6,}}(?:-{_WORD}+)?", "tskey-"),
)
_CODE_HOSTS = (
    ("GitHub", rf"gh[pousr]_{_WORD}{{30,}}", "ghp_ gho_ ghu_ ghs_ ghr_"),
    ("GitHub, fine", r"github_pat_\w{30,}", "github_pat"),
    (
        "GitLab",
        rf"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)|GR1348941)-?{_NAME}{{18,}}",
        "glpat gldt glrt glcbt glptt glft glimt glagent gloas glsoat glffct gr1348941",
    ),
    ("Atlassian", rf"AT(?:ATT3|CTT3|BB|STT3){_NAME}{{24,}}(?:=[0-9A-F]{{8}})?", "att3 ctt3 atbb stt3"),
)
_BUILDS = (
    ("CircleCI", r"CCI(?:PAT|PRJ)_\w{30,}", "ccipat_ cciprj_"),
    ("Buildkite", rf"bk(?:ua|ca|aj|pat)_{_WORD}{{32,}}", "bkua_ bkca_ bkaj_ bkpat_"),
    ("Sonar", rf"sq[apu]_{_HEX}{{40}}", "sqa_ sqp_ squ_"),
    ("Docker", rf"dckr_[po]at_{_NAME}{{24,}}", "dckr_"),
    ("JFrog", rf"AKCp[0-9A-Za-z]{{60,}}|cmVmdGtu{_WORD}{{50,}}", "akcp cmvmdgtu"),
    ("Octopus", r"API-[A-Z0-9]{25,32}" + NOT_AFTER, "api-"),
    ("Harness", rf"(?:pat|sat)\.{_NAME}{{22}}\.{_HEX}{{24}}\.{_WORD}{{20}}", "pat. sat."),
    ("Travis", rf"travis-{_NAME}{{20,}}", "travis-"),
)
# How a number of eighteen digits begins in base64.
_SNOWFLAKES = " ".join(f"{one}{two}{three}" for one in "mno" for two in "dtjz" for three in "aeimquycgk")
_CHATS = (
    ("Slack", rf"xox[abceoprs](?:\.xox[a-z])?-{_NAME}{{10,}}|xapp-\d-{_NAME}{{20,}}", "xox xapp-"),
    (
        "Slack hook",
        rf"hooks\.slack\.com/(?:services|workflows|triggers)/{_NAME}+(?:/{_NAME}+){{2,}}",
        "hooks.slack.com",
    ),
    ("Discord", rf"[MNO]{_NAME}{{23,27}}\.{_NAME}{{6}}\.{_NAME}{{27,40}}", _SNOWFLAKES),
    ("Discord hook", rf"discord(?:app)?\.com/api/webhooks/\d{{16,20}}/{_NAME}{{40,}}", "/api/webhooks/"),
    ("Telegram", rf"\d{{8,10}}:AA{_NAME}{{33}}" + r"(?![A-Za-z0-9_-])", ":aa"),
    ("Twilio", rf"SK{_HEX}{{32}}" + NOT_AFTER, " ".join(f"sk{digit}" for digit in "0123456789abcdef")),
    (
        "Teams hook",
        rf"{_WORD}[A-Za-z0-9-]{{0,63}}\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/_-]{{60,}}",
        "webhook.office.com",
    ),
)
_PAYMENTS = (
    ("Stripe", r"[spr]k_(?:live|test)_[A-Za-z0-9_]{16,}", "k_live_ k_test_"),
    ("Stripe hook", r"whsec_[A-Za-z0-9+/=]{24,}", "whsec_"),
    ("Square", rf"sq0(?:atp|csp|idp)-{_NAME}{{20,}}|EAAA{_NAME}{{58,62}}" + r"(?![A-Za-z0-9_-])", "sq0 eaaa"),
    ("Braintree", rf"access_token\$(?:production|sandbox)\${_WORD}{{16}}\${_HEX}{{32}}", "access_token$"),
    ("Shopify", rf"shp(?:at|ca|pa|ss|tka)_{_WORD}{{32,}}", "shpat_ shpca_ shppa_ shpss_ shptka_"),
    ("Razorpay", rf"rzp_(?:live|test)_{_WORD}{{14,}}", "rzp_"),
    ("Flutterwave", rf"FLW(?:SEC|PUB)K(?:_TEST)?-{_WORD}{{12,}}(?:-X)?", "flwseck flwpubk"),
    ("Mollie", rf"(?:live|test)_{_WORD}{{30}}" + NOT_AFTER, "live_ test_"),
    ("Plaid", rf"access-(?:production|development|sandbox)-{_UUID}", "access-"),
    ("GoCardless", rf"(?:live|sandbox)_{_NAME}{{40}}" + r"(?![A-Za-z0-9_-])", "live_ sandbox_"),
    ("Adyen", r"AQE[a-z]hm[A-Za-z0-9+/=_-]{80,}", "aqe"),
)
_MAILS = (
    ("SendGrid", rf"SG\.{_NAME}{{16,}}\.{_NAME}{{32,}}", "sg."),
    ("Mailgun", rf"(?:key|pubkey)-{_HEX}{{32}}" + NOT_AFTER, "key-"),
    ("Mailchimp", rf"{_HEX}{{32}}-us\d{{1,2}}" + NOT_AFTER, "-us"),
    ("Brevo", rf"x(?:keysib|smtpsib)-{_HEX}{{64}}-{_WORD}{{16}}", "keysib- smtpsib-"),
    ("Resend", rf"re_{_WORD}{{8}}_{_WORD}{{24}}" + NOT_AFTER, "re_"),
)
_PACKAGES = (
    ("npm", rf"npm_{_WORD}{{30,}}", "npm_"),
    ("PyPI", rf"pypi-{_NAME}{{30,}}", "pypi-"),
    ("RubyGems", rf"rubygems_{_HEX}{{48}}", "rubygems_"),
    ("NuGet", r"oy2[a-z0-9]{43}" + NOT_AFTER, "oy2"),
    ("crates", rf"cio{_WORD}{{32}}" + NOT_AFTER, "cio"),
    ("Clojars", rf"CLOJARS_{_HEX}{{60}}", "clojars_"),
)
_MODELS = (
    ("many", r"[spr]k[-_](?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{20,}", "sk- sk_ pk- pk_ rk- rk_"),
    ("plain", rf"sk-{_WORD}{{20,}}", "sk-"),
    (
        "named",
        rf"[spr]k[-_](?:live|test|secret|proj|prod|ant|svcacct|admin)[-_]{_NAME}{{8,}}",
        "sk- sk_ pk- pk_ rk- rk_",
    ),
    ("Hugging Face", rf"(?:hf|api_org)_{_WORD}{{30,}}", "hf_ api_org_"),
    ("Replicate", rf"r8_{_WORD}{{37,}}", "r8_"),
    ("Groq", rf"gsk_{_WORD}{{40,}}", "gsk_"),
    ("Perplexity", rf"pplx-{_WORD}{{40,}}", "pplx-"),
    ("xAI", rf"xai-{_WORD}{{60,}}", "xai-"),
    ("Fireworks", rf"fw_{_WORD}{{22,}}" + NOT_AFTER, "fw_"),
    ("Together", rf"tgp_v1_{_NAME}{{40,}}", "tgp_v1_"),
    ("LangSmith", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}", "lsv2_"),
    ("Langfuse", rf"[sp]k-lf-{_UUID}", "k-lf-"),
    ("Pinecone", r"pcsk_\w{40,}", "pcsk_"),
    ("Jina", rf"jina_{_WORD}{{50,}}", "jina_"),
    ("Tavily", rf"tvly-{_NAME}{{20,}}", "tvly-"),
    ("NVIDIA", rf"nvapi-{_NAME}{{50,}}", "nvapi-"),
    ("Cerebras", rf"csk-{_WORD}{{40,}}", "csk-"),
    ("Voyage", rf"pa-{_NAME}{{40,}}", "pa-"),
    ("Weights & Biases", r"wandb_v1_\w{40,}", "wandb_v1_"),
)
_APPS = (
    ("New Relic", rf"NR(?:AK|II|JS|RA|AL)-{_NAME}{{24,}}", "nrak- nrii- nrjs- nrra- nral-"),
    ("Grafana", rf"gl(?:sa|c)_{_WORD}[A-Za-z0-9_+/]{{30,}}={{0,2}}", "glsa_ glc_"),
    ("Sentry", r"sntry[su]_[A-Za-z0-9_+/=-]{40,}", "sntry"),
    ("Dynatrace", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "dt0"),
    ("Linear", rf"lin_(?:api|oauth)_{_WORD}{{30,}}", "lin_"),
    ("Notion", rf"ntn_{_WORD}{{40,}}|secret_{_WORD}{{43}}" + NOT_AFTER, "ntn_ secret_"),
    ("Airtable", rf"pat{_WORD}{{14}}\.{_HEX}{{64}}", "pat"),
    ("Figma", rf"fig[dor]_{_NAME}{{36,}}", "figd_ figo_ figr_"),
    ("Postman", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}", "pmak-"),
    ("Mapbox", rf"[st]k\.eyJ{_NAME}{{40,}}\.{_NAME}{{16,}}", "k.eyj"),
    ("HubSpot", rf"pat-(?:na|eu|ap)\d-{_UUID}", "pat-"),
    ("Contentful", rf"CFPAT-{_NAME}{{43}}", "cfpat-"),
    ("Dropbox", rf"sl\.[ub]?\.?{_NAME}{{100,}}", "sl."),
    ("Facebook", rf"EAA(?:CEdEose0cBA|[A-Za-z]{{1,3}}BA|M|B|G){_WORD}{{80,}}", "eaa"),
    ("Twitter", r"A{20,}(?=[A-Za-z0-9]{1,100}%[23])[A-Za-z0-9%]{50,}", "aaaaaaaaaaaaaaaaaaaa"),
    ("1Password", rf"ops_eyJ{_NAME}{{60,}}|A3-[A-Z0-9]{{6}}-[A-Z0-9]{{6,11}}(?:-[A-Z0-9]{{5}}){{3,4}}", "ops_eyj a3-"),
    ("age", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "age-secret-key-"),
    ("Typeform", rf"tfp_{_NAME}{{40,}}", "tfp_"),
    ("EasyPost", rf"EZ[AT]K{_WORD}{{54}}", "ezak eztk"),
    ("Duffel", rf"duffel_(?:test|live)_{_NAME}{{43}}", "duffel_"),
    ("Frame", rf"fio-u-{_NAME}{{64}}", "fio-u-"),
    ("ReadMe", r"rdme_[a-z0-9]{70}", "rdme_"),
    ("Prefect", rf"pn[ub]_{_WORD}{{36}}", "pnu_ pnb_"),
    ("Okta", rf"(?:SSWS )00{_NAME}{{40}}", "ssws"),
    ("Lob", rf"(?:live|test)_pub_{_HEX}{{31}}", "_pub_"),
)
_SIGNED = (
    ("JWT", rf"eyJ{_NAME}{{8,2048}}+\.{_NAME}{{8,}}\.{_NAME}{{8,}}", "eyj"),
    (
        "unsigned or encrypted JWT",
        rf"eyJ{_NAME}{{8,2048}}+\.(?:eyJ{_NAME}{{8,}}|\.?{_NAME}*\.{_NAME}+\.{_NAME}+)",
        "eyj",
    ),
    ("PASETO", rf"v[1-4]\.(?:local|public)\.{_NAME}{{40,}}(?:\.{_NAME}+)?", ".local. .public."),
)
_OWN = (("Muniment", rf"mnk_[a-z0-9]{{12}}_{_NAME}{{43}}(?!{_NAME})", "mnk_"),)
_ACCOUNTS = (
    ("Google", r"(?i:[a-z0-9][a-z0-9-]{0,62}@[a-z0-9][a-z0-9-]{0,62}\.iam\.gserviceaccount\.com)\b", "gserviceaccount"),
)
_TABLES: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    ("cloud_access_key", _CLOUD),
    ("code_host_token", _CODE_HOSTS),
    ("build_token", _BUILDS),
    ("chat_token", _CHATS),
    ("payment_key", _PAYMENTS),
    ("mail_key", _MAILS),
    ("package_token", _PACKAGES),
    ("memory_key", _OWN),
    ("api_key", _MODELS),
    ("app_token", _APPS),
    ("signed_token", _SIGNED),
    ("service_account", _ACCOUNTS),
)
TOKENS = tuple(_token(sort, shape, needles) for sort, table in _TABLES for _, shape, needles in table)
