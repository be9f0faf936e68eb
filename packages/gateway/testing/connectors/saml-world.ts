/** A SAML provider for whole flows: `samlify` reads our requests and signs its answers, for whichever account is asked for. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Constants, IdentityProvider, ServiceProvider, setSchemaValidator } from 'samlify';
import { type AnswerParts, assertionXml, attributeXml, responseXml, statementXml } from './saml-forge.ts';
import { makeSamlKeys, type SamlKeys } from './saml-keys.ts';

export interface SamlAccount {
  nameId: string;
  nameIdFormat?: string;
  attributes: Readonly<Record<string, readonly string[]>>;
  contextClass?: string;
  sessionNotOnOrAfter?: number;
}

export interface SamlWorldOptions {
  now: () => number;
  /** Made for it where none are given, which takes a while. */
  keys?: SamlKeys;
  wantsSignedRequests?: boolean;
  encrypts?: boolean;
}

/** What the form of the provider sends to us with the browser. */
export interface SamlForm {
  action: string;
  fields: { SAMLResponse: string; RelayState: string };
}

export interface SamlWorld {
  /** Its entityID. */
  issuer: string;
  sso: string;
  descriptorUrl: string;
  keys: SamlKeys;
  /** By name; `ann` is there. */
  accounts: Map<string, SamlAccount>;
  descriptor(): string;
  /** Tells it about the gateway, by the metadata of a connector. */
  enter(serviceMetadata: string): void;
  /** Signs an account in at the address a sign-in began with, without a browser. The page itself takes `&account=` too. */
  signIn(url: string, account: string): Promise<SamlForm>;
  close(): Promise<void>;
}

/** Numbers of the providers that run now: no two of them sign with the same key. */
const running = new Set<number>();

export async function startSamlWorld({
  now,
  keys: given,
  wantsSignedRequests = false,
  encrypts = false,
}: SamlWorldOptions): Promise<SamlWorld> {
  // It asks for one; what it would find is found by our own tests.
  setSchemaValidator({ validate: async () => 'not validated' });
  let number = 1;
  while (running.has(number)) number += 1;
  running.add(number);
  const keys = given ?? (await makeSamlKeys(`identity provider ${number}`, { from: now() - 86_400_000 }));
  const accounts = new Map<string, SamlAccount>([
    ['ann', { nameId: 'ann-0001', attributes: { groups: ['staff', 'ops'], mail: ['ann@acme.example'] } }],
  ]);
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [issuer, sso, descriptorUrl] = [`${origin}/entity`, `${origin}/sso`, `${origin}/descriptor`];
  const provider = IdentityProvider({
    entityID: issuer,
    privateKey: keys.key,
    signingCert: keys.cert,
    isAssertionEncrypted: encrypts,
    wantAuthnRequestsSigned: wantsSignedRequests,
    messageSigningOrder: 'sign-then-encrypt',
    singleSignOnService: [{ Binding: Constants.namespace.binding.redirect, Location: sso }],
    singleLogoutService: [{ Binding: Constants.namespace.binding.redirect, Location: `${origin}/logout` }],
  });
  let service: ReturnType<typeof ServiceProvider> | undefined;

  async function signIn(url: string, name: string): Promise<SamlForm> {
    if (!service) throw new Error('the provider does not know the gateway yet: enter its metadata');
    const account = accounts.get(name);
    if (!account) throw new Error(`the provider has no account '${name}'`);
    const query = new URL(url).searchParams;
    const octetString = ['SAMLRequest', 'RelayState', 'SigAlg']
      .filter((field) => query.has(field))
      .map((field) => `${field}=${encodeURIComponent(query.get(field)!)}`)
      .join('&');
    const asked = await provider.parseLoginRequest(service, 'redirect', {
      query: Object.fromEntries(query),
      octetString,
    });
    const requestId = String(asked.extract.request?.id);
    const acs = String(service.entityMeta.getAssertionConsumerService('post'));
    const parts: AnswerParts = {
      acs,
      requestId,
      issuer,
      audience: service.entityMeta.getEntityID(),
      now: now(),
      nameId: account.nameId,
      ...(account.nameIdFormat === undefined ? {} : { nameIdFormat: account.nameIdFormat }),
      attributes: Object.entries(account.attributes)
        .map(([claim, values]) => attributeXml(claim, ...values))
        .join(''),
      statement: statementXml(
        { now: now() },
        account.contextClass,
        account.sessionNotOnOrAfter === undefined
          ? ''
          : ` SessionNotOnOrAfter="${new Date(account.sessionNotOnOrAfter).toISOString()}"`,
      ),
    };
    const context = responseXml(assertionXml(parts), parts);
    const made = await provider.createLoginResponse(service, { extract: asked.extract }, 'post', {}, () => ({
      id: requestId,
      context,
    }));
    return { action: acs, fields: { SAMLResponse: made.context, RelayState: query.get('RelayState') ?? '' } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    try {
      if (url.pathname === '/descriptor')
        return void response.setHeader('content-type', 'application/samlmetadata+xml').end(provider.getMetadata());
      if (url.pathname !== '/sso') return void response.writeHead(404).end();
      const { action, fields } = await signIn(url.href, url.searchParams.get('account') ?? 'ann');
      response.setHeader('content-type', 'text/html; charset=utf-8').end(autoSubmitted(action, fields));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  }

  return {
    issuer,
    sso,
    descriptorUrl,
    keys,
    accounts,
    descriptor: () => provider.getMetadata(),
    enter(serviceMetadata) {
      service = ServiceProvider({ metadata: serviceMetadata });
    },
    signIn,
    async close() {
      running.delete(number);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function autoSubmitted(action: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
  return `<!doctype html><title>Provider</title><form method="post" action="${action}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`;
}
