import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from '../std/secret.ts';
import { createLog } from './create-log.ts';

function logInto(format: 'json' | 'pretty', level: 'info' | 'debug' = 'info') {
  const lines: string[] = [];
  return { log: createLog({ level, format }, { write: (line: string) => void lines.push(line) }), lines };
}

test.each(['json', 'pretty'] as const)('no secret reaches the %s log, however it is passed', (format) => {
  const { log, lines } = logInto(format);
  const child = log.child({ sessionToken: 'hunter2-child' });

  log.info(
    {
      req: {
        headers: { authorization: 'Bearer hunter2-a', cookie: '__Host-session=hunter2-b', 'X-CSRF-Token': 'hunter2-c' },
      },
    },
    'call',
  );
  log.info({ res: { headers: { 'set-cookie': ['session=hunter2-d; Path=/', 'grv_csrf=hunter2-e'] } } }, 'reply');
  log.info({ url: '/v1/webapi/sites/x/connect?a=1&access_token=hunter2-f&b=2' }, 'socket');
  log.info(
    {
      body: {
        user: 'ann',
        password: 'hunter2-g',
        new_password: 12_345_678,
        deep: [{ clientSecret: { value: 'hunter2-h' } }],
      },
    },
    'body',
  );
  log.info('GET /web?access_token=hunter2-i with Bearer hunter2-j');
  log.warn({ error: new Error('connect postgres://ann:hunter2-k@ss@db/gate failed') }, 'storage');
  log.info({ pem: '-----BEGIN EC PRIVATE KEY-----\nhunter2-l\n-----END EC PRIVATE KEY-----\n' }, 'key');
  log.info({ header: 'Cookie: __Host-grv_csrf=hunter2-m; session=hunter2-n' }, 'raw');
  log.info({ location: '/callback?code=hunter2-o&state=x' }, 'sso');
  log.info({ value: new Secret('hunter2-p') }, 'wrapped');
  child.info('child');

  const output = lines.join('');
  expect(lines.length).toBeGreaterThanOrEqual(11);
  expect(output).not.toContain('hunter2');
  expect(output).not.toContain('12345678');
  expect(output).toContain('[secret]');
  expect(output).toContain('ann');
  expect(output).toContain('b=2');
});

test('a line without secrets is written as it is, one JSON object a line', () => {
  const { log, lines } = logInto('json');

  log.info({ requestId: 'r-1', path: '/web/login', hasToken: true, error: new Error('no') }, 'request');
  log.debug('not written at level info');

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/\n$/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    msg: 'request',
    requestId: 'r-1',
    path: '/web/login',
    hasToken: true,
    error: { type: 'Error', message: 'no', stack: expect.stringContaining('Error: no') },
  });
});

test('the pretty log is for people: no JSON, the message and its fields', () => {
  const { log, lines } = logInto('pretty', 'debug');

  log.debug({ requestId: 'r-1' }, 'looked at');

  expect(lines.join('')).toMatch(/DEBUG.*looked at/);
  expect(lines.join('')).toContain('r-1');
  expect(inspect(lines)).not.toContain('"msg"');
});

test('the pretty log shows what steers a terminal and does not pass it on', () => {
  const hostile = 'a\u001b[2Jb\u009b2Jc\u202ed\ne\rf';
  const { log, lines } = logInto('pretty');

  log.info({ user: hostile, deep: { list: [hostile], [hostile]: 1 } }, `heard ${hostile}`);
  log.warn({ error: new Error(hostile) }, 'failed');

  const told = lines.join('');
  expect(told.match(/[^\x20-\x7e\n]/gu)).toBeNull();
  expect(told).toContain('heard a\\x1b[2Jb\\x9b2Jc\\u202ed\\x0ae\\x0df');
  // The stack stays one line for each call.
  expect(told).toMatch(/\n +at .*create-log\.test\.ts/);
});
