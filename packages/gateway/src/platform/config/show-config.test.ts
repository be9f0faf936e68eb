import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configJsonSchema } from './json-schema.ts';
import { configKeys } from './keys.ts';
import { loadConfig } from './load-config.ts';
import { shownConfig } from './show-config.ts';

const HERE = { cwd: '/nowhere', onTerminal: false };

test('every key is shown with its value and where it came from, secrets hidden', () => {
  const env = { GATEHOUSE_STORAGE_URL: 'postgres://ann:hunter2@db/gate', GATEHOUSE_LISTEN: '[::1]:1' };

  const shown = shownConfig(loadConfig({ env, ...HERE }));

  expect(shown.map(({ key }) => key)).toEqual(configKeys().map(({ name }) => name));
  expect(shown).toContainEqual({ key: 'listen', value: '[::1]:1', source: 'GATEHOUSE_LISTEN' });
  expect(shown).toContainEqual({ key: 'storage.url', value: '[secret]', source: 'GATEHOUSE_STORAGE_URL' });
  expect(shown).toContainEqual({ key: 'clusterName', value: 'localhost', source: 'default' });
  expect(JSON.stringify(shown)).not.toContain('hunter2');
});

test('a key that is set shows a value, so that no key is forgotten', () => {
  const env = {
    GATEHOUSE_DIAG_LISTEN: '127.0.0.1:1',
    GATEHOUSE_PUBLIC_ADDR: 'localhost:1',
    GATEHOUSE_STORAGE_URL: 'postgres://db/gate',
    GATEHOUSE_TLS_CERT: 'a',
    GATEHOUSE_TLS_KEY: 'b',
    GATEHOUSE_SSH_LISTEN: '127.0.0.1:3',
    GATEHOUSE_SSH_PUBLIC_ADDR: 'gate.example.com',
    GATEHOUSE_DATABASES_MYSQL_LISTEN: '127.0.0.1:2',
    GATEHOUSE_SECRETS_KEY: 'x'.repeat(32),
    GATEHOUSE_RECORDINGS_STORE: 's3://acme/x',
    GATEHOUSE_AWS_STS_ENDPOINT: 'https://sts.example.com',
    GATEHOUSE_AWS_REDSHIFT_ENDPOINT: 'https://redshift.example.com',
    GATEHOUSE_AWS_JOIN_ENDPOINT: 'https://sts.example.com',
    GATEHOUSE_AWS_FEDERATION_ENDPOINT: 'https://signin.example.com/federation',
  };

  const unset = shownConfig(loadConfig({ env, ...HERE })).filter(({ value }) => value === undefined);

  expect(unset.map(({ key }) => key)).toEqual(['secrets.keyFile']);
});

test('the schema for editors in docs is the one of this version; `./gatehouse config schema > docs/gatehouse.schema.json` renews it', () => {
  const stored = readFileSync(new URL('../../../../../docs/gatehouse.schema.json', import.meta.url), 'utf8');

  expect(JSON.parse(stored)).toEqual(configJsonSchema());
});
