import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError, formatProblem } from './config-error.ts';
import { configKeys } from './keys.ts';
import { type ConfigInputs, loadConfig } from './load-config.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function load(inputs: ConfigInputs & { yaml?: string } = {}) {
  const { yaml, ...rest } = inputs;
  if (yaml !== undefined) writeFileSync(join(cwd, 'gatehouse.yaml'), yaml, { mode: 0o600 });
  return loadConfig({ env: {}, cwd, onTerminal: false, ...rest });
}

/** The problems of a refused configuration, with the temporary folder left out. */
function refused(inputs: ConfigInputs & { yaml?: string }): string[] {
  try {
    load(inputs);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((problem) => formatProblem(problem).replaceAll(`${cwd}/`, ''));
    throw error;
  }
  return [];
}

test('without any setting the gateway listens on loopback and asks for a second factor only optionally', () => {
  const { config, warnings, file } = load();

  expect(config).toEqual({
    dataDir: join(cwd, 'data'),
    audit: { retentionDays: 0, strict: false, sinks: [] },
    recordings: {
      mode: 'gateway',
      retentionDays: 0,
      maxMegabytes: 0,
      maxSessionMegabytes: 2_000,
      keepFreeMegabytes: 200,
    },
    aws: { region: 'us-east-1' },
    listen: { host: '127.0.0.1', port: 3080 },
    clusterName: 'localhost',
    storage: {},
    tls: { mode: 'off' },
    proxy: { behind: false, trusted: [] },
    auth: { secondFactor: 'optional', inactivityTimeoutMs: 0, connectorName: 'local' },
    ui: { scrollbackLines: 1000, isDashboard: false },
    canJoinSessions: true,
    nodes: { backgroundChecks: true },
    ssh: {},
    databases: {},
    secrets: {},
    log: { level: 'info', format: 'json' },
    drainSeconds: 30,
  });
  expect(warnings).toEqual([]);
  expect(file).toBeUndefined();
});

test('a flag wins over the environment, the environment over the file, the file over the default', () => {
  const yaml = 'listen: 127.0.0.1:1\nclusterName: from-file\nlog:\n  level: debug\ndrainSeconds: 5\n';
  const env = { GATEHOUSE_LISTEN: '127.0.0.1:2', GATEHOUSE_CLUSTER_NAME: 'from-env' };

  const { config, sources } = load({ yaml, env, flags: { listen: '127.0.0.1:3' } });

  expect([config.listen.port, config.clusterName, config.log.level, config.drainSeconds]).toEqual([
    3,
    'from-env',
    'debug',
    5,
  ]);
  expect([sources.listen, sources.clusterName, sources['log.level'], sources.dataDir]).toEqual([
    { from: 'flag', flag: '--listen' },
    { from: 'environment', variable: 'GATEHOUSE_CLUSTER_NAME' },
    { from: 'file', file: join(cwd, 'gatehouse.yaml'), line: 4, column: 10 },
    { from: 'default' },
  ]);
});

test('the names that scripts rely on are environment variables of their keys', () => {
  const { config } = load({
    env: {
      GATEHOUSE_DATA_DIR: 'here',
      GATEHOUSE_LISTEN: '[::1]:4000',
      GATEHOUSE_DIAG_LISTEN: '127.0.0.1:4001',
      GATEHOUSE_PUBLIC_ADDR: 'gate.example.com:8443',
      GATEHOUSE_CLUSTER_NAME: 'Prod.example',
      GATEHOUSE_STORAGE_URL: 'postgres://ann:pw@db/gate',
      GATEHOUSE_TLS_CERT: 'tls.crt',
      GATEHOUSE_TLS_KEY: 'tls.key',
      GATEHOUSE_SECOND_FACTOR: 'webauthn',
    },
  });

  expect(config).toMatchObject({
    dataDir: join(cwd, 'here'),
    listen: { host: '::1', port: 4000 },
    diagListen: { host: '127.0.0.1', port: 4001 },
    publicAddr: { host: 'gate.example.com', port: 8443, origin: 'https://gate.example.com:8443' },
    clusterName: 'prod.example',
    tls: { mode: 'files', cert: join(cwd, 'tls.crt'), key: join(cwd, 'tls.key') },
    auth: { secondFactor: 'webauthn' },
  });
  expect(config.storage.url?.reveal()).toBe('postgres://ann:pw@db/gate');
});

test('every key has its own environment variable', () => {
  const variables = configKeys().map(({ variable }) => variable);

  expect(new Set(variables).size).toBe(variables.length);
  expect(variables).toContain('GATEHOUSE_SECRETS_KEY_FILE');
  expect(variables).toContain('GATEHOUSE_DRAIN_SECONDS');
});

test('numbers, truth values and lists are read from the environment, and an empty variable counts as unset', () => {
  const { config } = load({
    env: {
      GATEHOUSE_DRAIN_SECONDS: '7',
      GATEHOUSE_PROXY_BEHIND: 'yes',
      GATEHOUSE_PROXY_TRUSTED: '10.0.0.1, fd00::/8',
      GATEHOUSE_CLUSTER_NAME: '',
    },
  });

  expect(config).toMatchObject({
    drainSeconds: 7,
    clusterName: 'localhost',
    proxy: { behind: true, trusted: ['10.0.0.1', 'fd00::/8'] },
  });
});

test('each bad value in the file is named with its key, line and column', () => {
  const yaml = [
    'listen: nowhere',
    'log:',
    '  level: loud',
    'drainSeconds: soon',
    'proxy:',
    '  trusted:',
    '    - 10.0.0.0/8',
    '    - everywhere',
    '',
  ];

  expect(refused({ yaml: yaml.join('\n') })).toEqual([
    'gatehouse.yaml:1:9: listen: must be host:port, for example 127.0.0.1:3080 or [::1]:3080 (it is "nowhere")',
    'gatehouse.yaml:3:10: log.level: must be one of trace, debug, info, warn, error, fatal, silent (it is "loud")',
    'gatehouse.yaml:4:15: drainSeconds: must be a number (it is "soon")',
    'gatehouse.yaml:8:7: proxy.trusted.1: must be an IP address or a range such as 10.0.0.0/8 (it is "everywhere")',
  ]);
});

test('a bad value in the environment is named with its variable, one on the command line with its flag', () => {
  expect(refused({ env: { GATEHOUSE_SECOND_FACTOR: 'maybe' } })).toEqual([
    'GATEHOUSE_SECOND_FACTOR: auth.secondFactor: must be one of off, otp, webauthn, on, optional (it is "maybe")',
  ]);
  expect(refused({ env: { GATEHOUSE_PROXY_BEHIND: 'perhaps' } })).toEqual([
    'GATEHOUSE_PROXY_BEHIND: proxy.behind: must be true or false (it is "perhaps")',
  ]);
  expect(refused({ flags: { logFormat: 'xml' } })).toEqual([
    '--log-format: log.format: must be one of json, pretty (it is "xml")',
  ]);
});

test('an unknown key is refused at its line with the nearest name', () => {
  expect(refused({ yaml: 'tls:\n  selfmade: true\nstroage:\n  url: x\nzzz: 1\n' })).toEqual([
    "gatehouse.yaml:2:3: tls.selfmade: is not a key; did you mean 'selfMade'?",
    "gatehouse.yaml:3:1: stroage: is not a key; did you mean 'storage'?",
    'gatehouse.yaml:5:1: zzz: is not a key',
  ]);
});

test('an unknown variable of ours is a warning, what Kubernetes writes is not', () => {
  const { warnings } = load({
    env: {
      GATEHOUSE_LISTNE: 'x',
      GATEHOUSE_SERVICE_HOST: '10.0.0.1',
      GATEHOUSE_PORT_3080_TCP: 'tcp://10.0.0.1:3080',
      GATEHOUSE_AGENT_TOKEN: 'x',
    },
  });

  expect(warnings.map(formatProblem)).toEqual(['GATEHOUSE_LISTNE: is not a setting; did you mean GATEHOUSE_LISTEN?']);
});

test.each([
  ['a: [', /^gatehouse\.yaml:1:\d+: not valid YAML/],
  ['listen: 127.0.0.1:1\nlisten: 127.0.0.1:2', /^gatehouse\.yaml:2:1: not valid YAML/],
  ['- listen', /^gatehouse\.yaml:1:1: must hold keys and values/],
  ['log: 5', /^gatehouse\.yaml:1:6: log: must hold keys of its own/],
])('the file %j is refused at its place', (yaml, expected) => {
  expect(refused({ yaml })).toEqual([expect.stringMatching(expected)]);
});

test('an alias bomb is refused, not expanded', () => {
  const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let level = 98; level < 106; level++) {
    const previous = String.fromCharCode(level - 1);
    const name = String.fromCharCode(level);
    lines.push(`${name}: &${name} [${Array(9).fill(`*${previous}`).join(',')}]`);
  }

  expect(refused({ yaml: lines.join('\n') })).toEqual([expect.stringContaining('not valid YAML')]);
});

test('an empty file and a section with every line commented out set nothing', () => {
  expect(load({ yaml: '' }).config.clusterName).toBe('localhost');
  expect(load({ yaml: 'storage:\n#  url: x\ntls:\nlisten:\n' }).config.storage).toEqual({});
});

test('on and off are words here, not truth values', () => {
  expect(load({ yaml: 'auth:\n  secondFactor: off\n' }).config.auth.secondFactor).toBe('off');
});

test('the file is looked for by flag, by environment, in the data folder, then here', () => {
  const named = (name: string) => {
    writeFileSync(join(cwd, name), `clusterName: ${name.replace('.yaml', '')}\n`);
    return join(cwd, name);
  };
  mkdirSync(join(cwd, 'data'));
  writeFileSync(join(cwd, 'gatehouse.yaml'), 'clusterName: here\n');

  expect(load().config.clusterName).toBe('here');
  writeFileSync(join(cwd, 'data', 'gatehouse.yaml'), 'clusterName: in-data\n');
  expect(load().config.clusterName).toBe('in-data');
  const env = { GATEHOUSE_CONFIG: named('by-env.yaml') };
  expect(load({ env }).config.clusterName).toBe('by-env');
  expect(load({ env, flags: { config: named('by-flag.yaml') } }).config.clusterName).toBe('by-flag');
});

test('a named file that does not exist stops the start', () => {
  expect(refused({ flags: { config: 'absent.yaml' } })).toEqual(['--config: there is no file absent.yaml']);
  expect(refused({ env: { GATEHOUSE_CONFIG: 'absent.yaml' } })).toEqual([
    'GATEHOUSE_CONFIG: there is no file absent.yaml',
  ]);
});

test('a relative path in the file starts from the file, one on the command line from the current folder', () => {
  mkdirSync(join(cwd, 'etc'));
  writeFileSync(join(cwd, 'etc', 'gate.yaml'), 'dataDir: store\nsecrets:\n  keyFile: key\n');

  const { config } = load({ flags: { config: 'etc/gate.yaml', tlsCert: 'a.crt', tlsKey: 'a.key' } });

  expect(config.dataDir).toBe(join(cwd, 'etc', 'store'));
  expect(config.secrets.keyFile).toBe(join(cwd, 'etc', 'key'));
  expect(config.tls).toEqual({ mode: 'files', cert: join(cwd, 'a.crt'), key: join(cwd, 'a.key') });
});

test('in a clone the data folder is the one of the clone, wherever the command is typed', () => {
  expect(load({ env: { GATEHOUSE_ROOT: '/srv/gatehouse' } }).config.dataDir).toBe('/srv/gatehouse/data');
});

test('a file found in the data folder cannot name another one', () => {
  mkdirSync(join(cwd, 'data'));
  writeFileSync(join(cwd, 'data', 'gatehouse.yaml'), 'dataDir: elsewhere\n');

  expect(refused({})).toEqual([expect.stringContaining('data/gatehouse.yaml:1:10: dataDir: names another folder')]);
});

test('two variables for one key must agree', () => {
  const env = { GATEHOUSE_SECOND_FACTOR: 'on', GATEHOUSE_AUTH_SECOND_FACTOR: 'off' };

  expect(refused({ env })).toEqual([expect.stringContaining('is also set by GATEHOUSE_SECOND_FACTOR')]);
});

test('a secret never shows: not in print, not in JSON, not in a refusal', () => {
  const { config } = load({
    env: { GATEHOUSE_STORAGE_URL: 'postgres://ann:hunter2@db/gate', GATEHOUSE_SECRETS_KEY: 'hunter2hunter2hunter2' },
  });
  const bad = refused({
    env: { GATEHOUSE_STORAGE_URL: 'mysql://ann:hunter2@db/gate', GATEHOUSE_SECRETS_KEY: 'hunter2' },
  });

  expect(inspect(config, { depth: 9 })).toContain('[secret]');
  expect(`${inspect(config, { depth: 9 })}${JSON.stringify(config)}${bad}`).not.toContain('hunter2');
  expect(bad).toHaveLength(2);
});

test('a secret in a file that others can read is warned about', () => {
  const yaml = 'storage:\n  url: postgres://ann:pw@db/gate\n';
  expect(load({ yaml }).warnings).toEqual([]);

  chmodSync(join(cwd, 'gatehouse.yaml'), 0o644);

  expect(load().warnings.map(({ message }) => message)).toEqual([expect.stringContaining('other users can read')]);
});

test('the log is pretty on a terminal unless told otherwise', () => {
  expect(load({ onTerminal: true }).config.log.format).toBe('pretty');
  expect(load({ onTerminal: true, flags: { logFormat: 'json' } }).config.log.format).toBe('json');
});

test('the sample in the documentation is a valid file', () => {
  const page = readFileSync(new URL('../../../../../docs/configuration.md', import.meta.url), 'utf8');
  const yaml = /```yaml\n([\s\S]+?)```/.exec(page)?.[1];

  expect(load({ yaml }).config).toMatchObject({
    publicAddr: { origin: 'https://gate.example.com' },
    tls: { mode: 'files' },
  });
});

test('sinks of the audit log are read with their secrets hidden, and wrong ones are refused by name', () => {
  const yaml = (sinks: string) => `audit:\n  sinks:\n${sinks}`;
  const good = yaml('    - { type: webhook, name: siem, url: "https://siem.example.com/x", token: hunter2 }\n');

  const { config } = load({ yaml: good });

  expect(config.audit.sinks[0]).toMatchObject({ type: 'webhook', name: 'siem' });
  expect(JSON.stringify(config)).not.toContain('hunter2');
  const wrong = [
    '    - { type: webhook, name: siem, url: "http://siem.example.com/x" }\n',
    '    - { type: webhook, name: siem, url: "https://ann:pw@siem.example.com/x" }\n',
    '    - { type: syslog, name: s, address: "no port" }\n',
    '    - { type: pigeon, name: p }\n',
    '    - { type: file, name: a, path: x }\n    - { type: file, name: a, path: y }\n',
  ];
  for (const sinks of wrong) expect(() => load({ yaml: yaml(sinks) })).toThrow('audit.sinks');
});

test('a bucket for recordings is one setting, holds no credentials and is not reached in the clear', () => {
  const env = {
    GATEHOUSE_RECORDINGS: 's3://acme-recordings/prod/gatehouse?endpoint=https://s3.example.com&region=eu-1',
  };

  expect(load({ env }).config.recordings.store).toEqual({
    bucket: 'acme-recordings',
    prefix: 'prod/gatehouse/',
    region: 'eu-1',
    endpoint: 'https://s3.example.com',
  });
  const wrong = [
    'https://acme/x',
    's3://key:secret@acme/x',
    's3://A/x',
    's3://acme/x?endpoint=http://s3.example.com',
    's3://acme/x?secret=1',
  ];
  for (const store of wrong)
    expect(() => load({ env: { GATEHOUSE_RECORDINGS: store } })).toThrow(/recordings\.store|GATEHOUSE_RECORDINGS/);
});

test('another STS is reached encrypted, or on this machine', () => {
  const env = { GATEHOUSE_AWS_REGION: 'eu-central-1', GATEHOUSE_AWS_STS_ENDPOINT: 'http://127.0.0.1:9000' };

  expect(load({ env }).config.aws).toEqual({ region: 'eu-central-1', stsEndpoint: 'http://127.0.0.1:9000' });
  for (const endpoint of ['http://sts.example.com', 'https://me:x@sts.example.com', 'sts', 'https://x/?a=b']) {
    expect(() => load({ env: { GATEHOUSE_AWS_STS_ENDPOINT: endpoint } })).toThrow(/AWS_STS_ENDPOINT|stsEndpoint/);
  }
});
