import { PAGES, pageNames, pagePath } from '@gatehouse/contract/console/pages';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { APPS, appDetails, fakeGateway, NODES, pong, SIGN_INS, USERS } from '../../../testing/fake-gateway.ts';
import { CERTIFICATE, KEPT_KEY, withDoor } from '../../../testing/fake-ssh.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { addRecordings, EVERY_STATE } from '../../../testing/recordings/fake-recordings.ts';
import { PSEUDO_MARKS } from './pseudo.ts';

const PARAMS = {
  ...{ namespace: 'okta', pod: 'okta' },
  tokenId: 't-1',
  clusterId: 'one',
  requestId: 'r-1',
  fqdn: 'app.example.com',
  desktopName: 'win-1',
  username: 'bo',
  serverId: 's-1',
  login: 'root',
  sid: 'x-1',
  kind: 'oidc',
  name: 'okta',
};

/** What comes from the gateway, the computer or the keyboard, and is the same in every language. */
const DATA =
  /^(one|another|root@s-1|x-1|maya|MA|0\.1\.0|one\.example\.com:443|[\d\-: ,.]+|Chrome on Linux|Safari on iPhone|gatehouse on laptop|phone|yubikey|tomas|ines|root|access|auditor|editor|\d+ \w+ ago|yesterday|[A-Za-z]+\/[A-Za-z_]+|UTC|\?|(web|vault)-0\d|10\.0\.0\.\d:22|(env|role):?( \w+)?|prod|dev|web|deploy|now|Debian 13, x64|env=prod|aws-main|grafana|postgres|wiki|A|W|Charts of everything|(https|tcp|cloud):\/\/[a-z-]+\.one\.example\.com|http:\/\/grafana\.inside:3000|[a-z-]+\.(inside|example\.com)|X-WEBAUTH-USER|\{\{internal\.username\}\}|win-1|(\d+ (min|sec|kB|byte) ?)+|s-\w+|[Oo]kta|groups|payments|\*-oncall|oidc|openid|profile|email|https:\/\/acme\.okta\.example|https:\/\/ORGANISATION\.okta\.com|c-1|https:\/\/one\.example\.com\/v1\/webapi\/oidc\/\w+\/okta|gatehouse-users|cache|ledger|shop(: Orders)?|vault|Orders|any|build-1|lab|prod-fin|US|(Self-hosted|RDS) (PostgreSQL|MySQL\/MariaDB|Redis))$/;
/** What the gateway says of recordings is not its words but data; here it says nothing. */
const RECORDED = EVERY_STATE.map((row) => ({ ...row, reason: '' }));
const SPOKEN = ['aria-label', 'title', 'placeholder', 'alt'];

function unmarkedTexts(): string[] {
  // The cluster's id before the title is data as well.
  const texts: string[] = [document.title.replace(/^one • /, '')];
  for (const element of document.body.querySelectorAll('*')) {
    // What a terminal prints, and how xterm measures it, is nobody's words.
    if (element.closest('kbd, code, [data-terminal]')) continue;
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) texts.push(node.textContent ?? '');
    }
    for (const name of SPOKEN) texts.push(element.getAttribute(name) ?? '');
  }
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '' && !DATA.test(text))
    .filter((text) => !(text.startsWith(PSEUDO_MARKS.open) && text.endsWith(PSEUDO_MARKS.close)));
}

const marked = (text: string) => new RegExp(`${PSEUDO_MARKS.open}.*${text}`);

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

test.each([...pageNames.map((name) => pagePath(name, PARAMS)), '/web/login?reason=inactive', '/web/nope'])(
  'every word on %s comes from the catalogue',
  async (path) => {
    const isPublic = pageNames.some(
      (name) => PAGES[name].access === 'public' && path.startsWith(pagePath(name, PARAMS)),
    );
    await openPage(path, { language: 'pseudo', signedIn: !isPublic });
    await waitFor(() => expect(document.querySelector('h1')).toBeTruthy());

    expect(unmarkedTexts()).toEqual([]);
  },
);

test('so does every word of the menus, the alerts, the keys and the palette', async () => {
  const gateway = fakeGateway();
  const alert = (name: string, severity: number) => ({
    kind: 'cluster_alert',
    version: 'v1',
    metadata: { name, labels: { 'teleport.internal/link': 'https://example.com' } },
    spec: { severity, message: '0.1.0', created: '2026-11-15T02:12:00Z' },
  });
  gateway.answer('GET /v1/webapi/sites/one/alerts', {
    body: { alerts: [alert('a', 0), alert('b', 5), alert('c', 10)] },
  });
  await openPage('/web/settings', { language: 'pseudo', gateway });
  const user = userEvent.setup();

  await user.click(await screen.findByRole('button', { name: marked('áłértš') }));
  expect(unmarkedTexts()).toEqual([]);
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: marked('maya') }));
  expect(unmarkedTexts()).toEqual([]);
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: /Šwîtçh çłüštér/ }));
  expect(unmarkedTexts()).toEqual([]);
  await user.keyboard('{Escape}?');
  await screen.findByRole('dialog');
  expect(unmarkedTexts()).toEqual([]);
  await user.keyboard('{Escape}{Control>}k{/Control}');
  await screen.findByRole('combobox', { name: marked('Šéárçh') });
  expect(unmarkedTexts()).toEqual([]);
});

test.each([
  ['/web/users?open=tomas', 'tab'],
  ['/web/users?open=tomas&tab=sign-ins', 'tab'],
  ['/web/users?open=ines', 'tab'],
  ['/web/users?do=new', 'dialog'],
  ['/web/users?search=zzz', 'searchbox'],
  ['/web/locks?do=new', 'dialog'],
  ['/web/roles?open=access', 'switch'],
  ['/web/roles?do=new', 'switch'],
  ['/web/cluster/one/nodes?open=id-web-02', 'tab'],
  ['/web/cluster/one/nodes?open=id-web-01&tab=test', 'tab'],
  ['/web/cluster/one/nodes?open=id-web-01&tab=ssh', 'tab'],
  ['/web/cluster/one/nodes?search=zzz', 'searchbox'],
  ['/web/discover?flow=server', 'radio'],
  ['/web/discover?flow=server&step=describe', 'textbox'],
  ['/web/discover?flow=server&step=run', 'complementary'],
  ['/web/discover?flow=server&step=test&id=id-web-01', 'combobox'],
  ['/web/discover?flow=server&step=done&id=id-web-01', 'link'],
  ['/web/cluster/one/recordings?state=playable', 'article'],
  ['/web/cluster/one/recordings?gaps=open', 'complementary'],
  ['/web/cluster/one/session/s-complete?t=1', 'slider'],
  ['/web/cluster/one/session/s-complete?t=1&tab=details', 'slider'],
  ['/web/cluster/one/session/s-live?t=1&tab=people', 'slider'],
  ['/web/cluster/one/apps?open=grafana', 'tab'],
  ['/web/cluster/one/apps?open=grafana&tab=test', 'tab'],
  ['/web/cluster/one/apps?search=zzz', 'searchbox'],
  ['/web/discover?flow=app&step=describe', 'textbox'],
  ['/web/discover?kind=db', 'searchbox'],
] as const)('so does every word of what opens at %s', async (path, role) => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/users/tomas', { body: { ...USERS[1], traits: { logins: ['maya'] } } });
  gateway.answer('GET /v1/webapi/users/tomas/signins', { body: SIGN_INS });
  gateway.answer('GET /v1/webapi/users/ines', { body: { ...USERS[2], traits: {} } });
  for (const app of APPS) gateway.answer(`GET /v1/webapi/sites/one/apps/${app.name}`, { body: appDetails(app) });
  gateway.answer('POST /v1/webapi/sites/one/apps/check', { body: { steps: [] } });
  for (const node of NODES) gateway.answer(`GET /v1/webapi/sites/one/nodes/${node.id}`, { body: node });
  gateway.answer('GET /v1/webapi/ping', { body: withDoor(pong()) });
  addRecordings(gateway, RECORDED);
  await openPage(path, { language: 'pseudo', gateway });
  await waitFor(() => expect(screen.getAllByRole(role).length).toBeGreaterThan(0));
  await waitFor(() =>
    expect(document.querySelector('[role=checkbox], input, [role=tabpanel], [data-step]')).toBeTruthy(),
  );

  expect(unmarkedTexts()).toEqual([]);
});

test.each([
  [[], []],
  [[CERTIFICATE, { ...CERTIFICATE, serial: '5eee', signIn: 'gone' }], [KEPT_KEY]],
])('so does every word about keys of ssh', async (certificates, keys) => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/ping', { body: withDoor(pong()) });
  gateway.answer('GET /v1/webapi/ssh/certs', { body: certificates });
  gateway.answer('GET /v1/webapi/ssh/keys', { body: keys });
  await openPage('/web/account', { language: 'pseudo', gateway });
  await screen.findByRole('region', { name: marked('ŠŠH') });

  expect(unmarkedTexts()).toEqual([]);
});

test('the check finds a word that is written into a screen', async () => {
  const { container } = await openPage('/web/login', { language: 'pseudo', signedIn: false });

  container.append('Hello', Object.assign(document.createElement('img'), { alt: 'a picture' }));

  expect(unmarkedTexts()).toEqual(['Hello', 'a picture']);
});
