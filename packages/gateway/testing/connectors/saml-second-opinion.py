"""A SAML provider made of pysaml2: reads our metadata and one request, and writes its descriptor or its answer. JSON in, JSON out."""
import json
import os
import sys
import tempfile
from urllib.parse import parse_qs, urlparse

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAME_FORMAT_BASIC, NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

asked = json.load(sys.stdin)
folder = tempfile.TemporaryDirectory(prefix="gatehouse-pysaml2-")


def kept(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "w") as file:
        file.write(text)
    return path


settings = {
    "entityid": asked["issuer"],
    "xmlsec_binary": "/usr/bin/xmlsec1",
    "key_file": kept("key.pem", asked["key"]),
    "cert_file": kept("cert.pem", asked["cert"]),
    "service": {
        "idp": {
            "endpoints": {"single_sign_on_service": [(asked["sso"], BINDING_HTTP_REDIRECT)]},
            # It looks for that signature in the XML alone; the one in the address is checked below.
            "want_authn_requests_signed": False,
            "name_id_format": [NAMEID_FORMAT_PERSISTENT],
            "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": NAME_FORMAT_BASIC, "attribute_restrictions": None}},
        }
    },
}
if "metadata" in asked:
    settings["metadata"] = {"local": [kept("service.xml", asked["metadata"])]}
config = IdPConfig().load(settings)

if "url" not in asked:
    print(json.dumps({"descriptor": entity_descriptor(config).to_string().decode()}))
    sys.exit(0)

provider = Server(config=config)
query = {name: values[0] for name, values in parse_qs(urlparse(asked["url"]).query).items()}
request = provider.parse_authn_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT)
if asked["wantsSigned"]:
    from saml2.sigver import verify_redirect_signature

    certs = provider.metadata.certs(request.message.issuer.text, "any", "signing")
    fields = {name: query[name] for name in ("SAMLRequest", "RelayState", "SigAlg", "Signature")}
    good = [cert for cert in certs if verify_redirect_signature(fields, provider.sec.sec_backend, cert)]
    assert good, "the signature of the request does not hold"
args = provider.response_args(request.message, [BINDING_HTTP_POST])
encrypts = asked["encrypts"]
answer = provider.create_authn_response(
    asked["attributes"],
    in_response_to=args["in_response_to"],
    destination=args["destination"],
    sp_entity_id=args["sp_entity_id"],
    name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=asked["nameId"]),
    authn={"class_ref": asked["contextClass"], "authn_auth": asked["issuer"]},
    sign_assertion=True,
    sign_response=asked["signsResponse"],
    encrypt_assertion=encrypts,
    sign_alg=SIG_RSA_SHA256,
    digest_alg=DIGEST_SHA256,
)
print(
    json.dumps(
        {
            "xml": str(answer),
            "destination": args["destination"],
            "entity": args["sp_entity_id"],
            "relayState": query["RelayState"],
            "wantsSignedAssertions": provider.metadata[args["sp_entity_id"]]["spsso_descriptor"][0].get("want_assertions_signed"),
        }
    )
)
