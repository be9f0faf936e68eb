import type { GithubDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { expect, test } from 'vitest';
import { mapRoles } from '../../mapping/map-roles.ts';
import { apiOf, endpointOf } from './github-addresses.ts';
import { factsWith, knownIds, siftTeams } from './github-organizations.ts';
import { githubProvider } from './github-provider.ts';
import { leftOut, nextPage, type Teams } from './github-teams.ts';

const document = (spec: Partial<GithubDocument['spec']> = {}): GithubDocument => ({
  kind: 'github',
  version: 'v3',
  metadata: { name: 'acme' },
  spec: { client_id: 'x', teams_to_roles: [{ organization: 'Acme', team: 'dev', roles: ['developer'] }], ...spec },
});
const team = (organization: string, name: string) => ({
  teams_to_roles: [{ organization, team: name, roles: ['developer'] }],
});

test.each([
  [{}, 'https://github.com', 'https://api.github.com'],
  [{ endpoint_url: 'https://github.com/' }, 'https://github.com', 'https://api.github.com'],
  [{ endpoint_url: 'https://git.acme.example' }, 'https://git.acme.example', 'https://git.acme.example/api/v3'],
  [{ endpoint_url: 'https://x.example/git/' }, 'https://x.example/git', 'https://x.example/git/api/v3'],
  [{ endpoint_url: 'https://acme.ghe.com' }, 'https://acme.ghe.com', 'https://api.acme.ghe.com'],
  [
    { endpoint_url: 'https://git.acme.example', api_endpoint_url: 'https://api.acme.example/' },
    'https://git.acme.example',
    'https://api.acme.example',
  ],
])('%j is GitHub at %s with the API at %s', (spec, endpoint, api) => {
  expect([endpointOf(spec), apiOf(spec), githubProvider.issuerOf(document(spec))]).toEqual([endpoint, api, endpoint]);
});

test.each([
  ['Example Team', "'Example Team' is no slug; did you mean 'example-team'?"],
  ['Büro & Co.', "'Büro & Co.' is no slug; did you mean 'buro-co'?"],
  ['Admins', "'Admins' is no slug; did you mean 'admins'?"],
  ['acme/dev', "'acme/dev' is no slug; did you mean 'acme-dev'?"],
  ['***', "'***' is no slug"],
])('the team %s is refused in these words', (name, message) => {
  expect(githubProvider.check(document(team('acme', name)))).toEqual([
    { path: ['spec', 'teams_to_roles', 0, 'team'], message },
  ]);
});

test('other slips of a document are told where they stand', () => {
  const paths = (spec: Partial<GithubDocument['spec']>) =>
    githubProvider.check(document(spec)).map(({ path }) => path.join('.'));

  expect(paths({})).toEqual([]);
  expect(paths(team('https://github.com/acme', 'dev'))).toEqual(['spec.teams_to_roles.0.organization']);
  expect(paths({ api_endpoint_url: 'https://elsewhere.example' })).toEqual(['spec.api_endpoint_url']);
  expect(paths({ api_endpoint_url: 'https://api.github.com' })).toEqual([]);
  expect(paths({ redirect_url: 'https://gate.example/callback' })).toEqual(['spec.redirect_url']);
});

test('teams are compared without case, and never as patterns', () => {
  const entries = githubProvider.entries(document());
  const roles = (...teams: string[]) => mapRoles(entries, new Map([['teams', teams]]), () => true).roles;

  expect(roles('acme/dev')).toEqual(['developer']);
  expect(roles('acme/dev-ops', 'evil/dev', 'acme', 'dev')).toEqual([]);
  expect(
    mapRoles(githubProvider.entries(document(team('*', '*'))), new Map([['teams', ['a/b']]]), () => true).roles,
  ).toEqual([]);
});

test('the callback names the connector, unless the document has one', () => {
  const connector = { name: 'acme', document: document() };
  const callback = 'https://gate.example/v1/webapi/github/callback/acme';

  expect(githubProvider.enter(connector, 'https://gate.example')).toEqual([{ what: 'callback', value: callback }]);
  const own = { name: 'acme', document: document({ redirect_url: 'https://other.example/v1/webapi/github/callback' }) };
  expect(githubProvider.callbackOf(own, 'https://gate.example')).toBe(
    'https://other.example/v1/webapi/github/callback',
  );
});

test.each([
  ['client_id', { client_id: 'another' }],
  ['endpoint_url', { endpoint_url: 'https://git.example' }],
  ['api_endpoint_url', { endpoint_url: 'https://git.example', api_endpoint_url: 'https://api.git.example' }],
  ['redirect_url', { redirect_url: 'https://gate.example/v1/webapi/github/callback' }],
])('another %s is another voice', (_, spec) => {
  const voice = (more: Partial<GithubDocument['spec']> = {}) =>
    githubProvider.voiceOf({ name: 'acme', document: document(more) }, 'https://gate.example');

  expect(voice(spec)).not.toEqual(voice());
  expect(voice({ display: 'GitHub', redirect_url: 'https://gate.example/v1/webapi/github/callback/acme' })).toEqual(
    voice(),
  );
});

const API = 'https://git.example/api/v3';

test.each([
  [null, undefined],
  ['', undefined],
  ['<https://git.example/api/v3/user/teams?page=9>; rel="last"', undefined],
  ['<https://git.example/api/v3/a>; rel="prev", <https://git.example/api/v3/b?page=2>; rel="next"', `${API}/b?page=2`],
  ['<https://git.example/api/v3/user/teams?x=1,2>; foo="a;b"; rel=next', `${API}/user/teams?x=1,2`],
  ['rel="next"', undefined],
])('the header %s leads to %s', (link, next) => expect(nextPage(link, API)).toBe(next));

test.each([
  'https://evil.example/api/v3/user/teams?page=2',
  'https://git.example.evil.example/api/v3/b',
  'http://git.example/api/v3/user/teams',
  'https://git.example:8443/api/v3/user/teams',
  'https://git.example/api/v3/../../x',
  'https://git.example/api/v33/x',
  '//evil.example/api/v3/x',
  'not an address',
])('a next page at %s is not followed', (next) => {
  expect(() => nextPage(`<${next}>; rel="next"`, API)).toThrow('not followed');
});

test.each([
  ['partial-results; organizations=21955855,20582480', [21955855, 20582480]],
  ['partial-results; organizations=1', [1]],
  ['required; url=https://github.com/orgs/x/sso', []],
  ['partial-results; organizations=x,-1,1e9', []],
  [`partial-results; organizations=${'9'.repeat(400)}`, []],
])('X-GitHub-SSO: %s leaves out %j', (value, ids) => {
  expect(leftOut(new Headers({ 'x-github-sso': value }))).toEqual(ids);
});

const shown = (given: readonly [string, string, number][], more: Partial<Teams> = {}): Teams => ({
  teams: given.map(([organization, slug, organizationId]) => ({ organization, slug, organizationId })),
  left: new Set(),
  isCut: false,
  ...more,
});

test('an organisation that only has the name of the one that is meant gives nothing', () => {
  const given = shown([
    ['acme', 'dev', 666],
    ['other', 'dev', 2],
  ]);
  const { teams, notes } = siftTeams(given, ['acme'], new Map([['acme', 1]]));

  expect(teams.map(({ organization }) => organization)).toEqual(['other']);
  expect(notes).toEqual([expect.stringContaining("'acme' has the id 666, and the connector means 1")]);
});

const HIDDEN = (name: string) =>
  `GitHub showed no team of '${name}': authorise Gatehouse for it, or let its owner approve the application`;

test.each<[string, Teams, string[]]>([
  ['nothing at all', shown([]), [HIDDEN('acme'), HIDDEN('globex')]],
  ['only teams of others', shown([['other', 'x', 9]]), [HIDDEN('acme'), HIDDEN('globex')]],
  ['one of them', shown([['acme', 'dev', 1]]), []],
  [
    'one of them, and says that the other is left out',
    shown([['acme', 'dev', 1]], { left: new Set([2]) }),
    [HIDDEN('globex')],
  ],
  ['one of them, and says that a third is left out', shown([['acme', 'dev', 1]], { left: new Set([3]) }), []],
])('GitHub shows %s', (_, given, notes) => {
  const known = new Map([
    ['acme', 1],
    ['globex', 2],
  ]);
  expect(siftTeams(given, ['acme', 'globex'], known).notes).toEqual(notes);
});

test('ids are learnt once: the document counts most, and what was learnt is never replaced', () => {
  const { spec } = document({ organization_id: { ACME: 1 } });
  const known = knownIds(spec, { organization_id: { acme: 5, globex: 7 } });

  expect(known).toEqual(new Map(Object.entries({ acme: 1, globex: 7 })));
  expect(
    factsWith(['acme', 'globex', 'new'], known, new Map(Object.entries({ globex: 666, new: 3, other: 4 }))),
  ).toEqual({
    organization_id: { acme: 1, globex: 7, new: 3 },
  });
  expect(knownIds(document().spec, { organization_id: 'nonsense' })).toEqual(new Map());
});
