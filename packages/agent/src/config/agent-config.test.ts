import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allowRulesOf, offersOf } from '../kinds/kinds.ts';
import { nameFrom } from '../kinds/node/machine-name.ts';
import { readAgentConfig } from './agent-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';

function file(text: string): string {
  const path = join(folder, 'agent.yaml');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

test('the command line wins over the environment, and that over the file', () => {
  const config = file(
    'gateway: https://file.example.com\ntoken: from-file\nname: from-file\nlabels: {env: dev, version: 12}\n',
  );
  const env = { GATEHOUSE_AGENT_GATEWAY: 'https://env.example.com', GATEHOUSE_AGENT_TOKEN: 'from-env' };

  const read = readAgentConfig(
    { config, gateway: 'https://Flag.example.com/', labels: ['env=prod', 'team=web=1'] },
    env,
    '/srv',
  );

  expect(read).toMatchObject({
    gateway: 'https://flag.example.com',
    token: 'from-env',
    name: 'from-file',
    dataDir: '/srv/agent-data',
    labels: { env: 'prod', version: '12', team: 'web=1' },
    where: config,
  });
});

test('a file says what a gateway may do here; its paths start from its own folder', () => {
  writeFileSync(join(folder, 'ca.pem'), CERTIFICATE);
  const config = file(
    [
      'gateway: https://gate.example.com',
      'dataDir: state',
      'ca: ca.pem',
      'commands:',
      '  load: {command: [cut, -d, " ", -f1, /proc/loadavg], period: 30s}',
      '  kernel: {command: [uname, -r]}',
      'allow: ["10.0.0.0/8:22", "db.internal:5432"]',
      'logins: [deploy]',
      'shell: false',
      'forward: false',
      'token:',
    ].join('\n'),
  );

  const read = readAgentConfig({ config }, {}, '/srv');

  expect(read).toMatchObject({
    dataDir: join(folder, 'state'),
    ca: CERTIFICATE,
    commands: {
      load: { command: ['cut', '-d', ' ', '-f1', '/proc/loadavg'], period: 30_000 },
      kernel: { command: ['uname', '-r'], period: 60_000 },
    },
    logins: ['deploy'],
    shell: false,
    forward: false,
  });
  expect(read.allow.map(({ text }) => text)).toEqual(['10.0.0.0/8:22', 'db.internal:5432']);
  expect(read.token).toBeUndefined();
});

test('without anything it offers shells, dials nothing and is called like its machine', () => {
  const read = readAgentConfig({ gateway: 'http://localhost:3080' }, {}, '/srv');

  expect(read).toMatchObject({
    allow: [],
    shell: true,
    forward: true,
    labels: {},
    gateway: 'http://localhost:3080',
  });
  expect(read.name).toMatch(/^[A-Za-z0-9]/);
});

test.each([
  ['', /gateway: is missing/],
  ['gateway: http://gate.example.com', /gateway: must be an https/],
  ['gateway: http://evil.localhost', /gateway: must be an https/],
  ['gateway: https://x\nallow: ["10.0.0.0/8:22", "nonsense"]', /allow\.1: must be HOST:PORT/],
  ['gateway: https://x\nlogins: ["-oProxyCommand=x"]', /logins\.0: is no login name/],
  ['gateway: https://x\nlogins: []', /logins: /],
  ['gateway: https://x\nname: "a b"', /name: must be letters/],
  ['gateway: https://x\nlabels: {"a b": x}', /labels\.a b: is no label name/],
  ['gateway: https://x\ncommands: {load: {command: uptime}}', /commands\.load\.command: /],
  ['gateway: https://x\ncommands: {load: {command: [uptime], period: 5}}', /commands\.load\.period: /],
  ['gateway: https://x\ncommands: {load: {command: [uptime], period: 10ms}}', /commands\.load\.period: must be a time/],
  ['gateway: https://x\nshel: false', /shel: is not a key/],
  ['gateway: https://x\ncaPin: 12', /caPin: /],
  ['gateway: https://x\nlogFormat: xml', /logFormat: must be json or pretty/],
  ['gateway: https://x\nca: nowhere.pem', /ca: there is no file .*nowhere\.pem/],
  ['- a', /must hold keys and values/],
  ['a: [', /agent\.yaml: /],
])('the file %j is refused with its key', (text, message) => {
  expect(() => readAgentConfig({ config: file(text) }, {}, '/srv')).toThrow(message);
});

test('all that is wrong is told at once, and by the error the command line knows', () => {
  const config = file('gateway: nonsense\nname: "-"\nca: nowhere.pem\n');

  expect(() => readAgentConfig({ config, labels: ['prod'] }, {}, '/srv')).toThrow(
    expect.objectContaining({
      name: 'ConfigError',
      problems: ['labels', 'ca', 'gateway', 'name'].map((key) => expect.objectContaining({ key })),
    }),
  );
});

test('a file that is not there, or that others can change, is not read', () => {
  expect(() => readAgentConfig({ config: 'absent.yaml' }, {}, folder)).toThrow('there is no such file');
  const config = file('gateway: https://x');
  chmodSync(config, 0o666);

  const read = () => readAgentConfig({ config }, {}, '/srv');

  if (process.getuid?.() === 0) expect(read).toThrow('can be changed by other users');
  else expect(read().gateway).toBe('https://x');
});

test.each([
  ['web-1.example.com', 'web-1.example.com'],
  ['my laptop (2)', 'my-laptop-2'],
  ['-_-', 'server'],
  ['', 'server'],
])('the host name %j becomes the name %j', (host, name) => {
  expect(nameFrom(host)).toBe(name);
});

test('applications are named with their address, which alone may then be dialled', () => {
  const config = file(
    [
      'gateway: https://gate.example.com',
      'shell: false',
      'apps:',
      '  - {name: grafana, uri: "http://localhost:3000", labels: {env: dev}}',
      '  - {name: db, uri: "tcp://10.0.0.5:5432"}',
      '  - {name: aws, uri: "cloud://aws"}',
    ].join('\n'),
  );

  const read = readAgentConfig({ config }, {}, '/srv');
  const [grafana] = offersOf(read, { agentId: 'a1', name: 'edge', labels: {} });

  expect(allowRulesOf(read).map(({ text }) => text)).toEqual(['localhost:3000', '10.0.0.5:5432']);
  expect(grafana).toMatchObject({ kind: 'app', id: 'grafana', labels: { env: 'dev' } });
});

test.each([
  ['{name: Grafana, uri: "http://localhost"}', /apps\.0\.name: must be lower-case/],
  ['{name: x, uri: "ftp://localhost"}', /apps\.0\.uri: must look like/],
  ['{name: x, uri: "http://user:pw@localhost"}', /apps\.0\.uri: holds a name or password/],
  ['{name: x, uri: "http://a", rewrite: {headers: [{name: "X-Forwarded-For", value: "1"}]}}', /is set by the gateway/],
  ['{name: x, uri: "http://a"}, {name: x, uri: "http://b"}', /names an application twice/],
])('the application %s is refused', (app, message) => {
  const config = file(`gateway: https://x\napps: [${app}]`);

  expect(() => readAgentConfig({ config }, {}, '/srv')).toThrow(message);
});
