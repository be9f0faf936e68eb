import { StreamRefused, TunnelError } from '@gatehouse/tunnel/tunnel-error';
import { describe, expect, test } from 'vitest';
import { isOwnAudience } from '../../../doors/agent-tunnel/audience.ts';
import { createHandshakeSlots } from '../../../doors/agent-tunnel/handshake-limiter.ts';
import { explainFailure } from './explain-failure.ts';
import { createReportPace } from './report-pace.ts';

describe('places for handshakes', () => {
  const limits = { total: 3, perAddress: 2, waiting: 2, waitingPerAddress: 1, waitMs: 100 };

  test('are limited in all and by address; the next in line gets the one that becomes free', async () => {
    const slots = createHandshakeSlots(limits);
    const release = await slots.take('10.0.0.1');
    await slots.take('10.0.0.1');
    await slots.take('10.0.0.2');
    expect([slots.taken, slots.inLine]).toEqual([3, 0]);

    const third = slots.take('10.0.0.1');
    const other = slots.take('10.0.0.3');
    expect(slots.inLine).toBe(2);
    await expect(slots.take('10.0.0.4')).rejects.toThrow('too many agents');
    release();
    release();
    const releaseThird = await third;
    expect([slots.taken, slots.inLine]).toEqual([3, 1]);
    releaseThird();
    await other;
    expect([slots.taken, slots.inLine]).toEqual([3, 0]);
  });

  test('who waits too long is sent away, and one address cannot fill the line', async () => {
    const slots = createHandshakeSlots({ ...limits, waiting: 10 });
    for (let held = 0; held < 2; held++) await slots.take('10.0.0.1');

    const waits = slots.take('10.0.0.1');
    await expect(slots.take('10.0.0.1')).rejects.toThrow('too many agents');
    await slots.take('10.0.0.2');
    await expect(waits).rejects.toThrow('too many agents');
    expect(slots.inLine).toBe(0);
  });

  test('are shared by everything one customer of a provider calls its own', async () => {
    const slots = createHandshakeSlots({ ...limits, perAddress: 1, waitingPerAddress: 0 });
    await slots.take('2001:db8:1:2::3');

    await expect(slots.take('2001:db8:1:2:aaaa::4')).rejects.toThrow('too many agents');
    await slots.take('2001:db8:1:3::3');
  });
});

describe('the gateway an agent meant', () => {
  const named = {
    listen: { host: '0.0.0.0', port: 3080 },
    publicAddr: { host: 'gate.example.com', port: 443, origin: 'https://gate.example.com' },
    proxy: { behind: true, trusted: [] },
  };
  const odd = {
    ...named,
    publicAddr: { host: 'gate.example.com', port: 8443, origin: 'https://gate.example.com:8443' },
  };
  const nameless = { listen: { host: '0.0.0.0', port: 3080 }, proxy: { behind: false, trusted: [] } };
  const loopback = { listen: { host: '127.0.0.1', port: 3080 }, proxy: { behind: false, trusted: [] } };

  test.each([
    ['its public name', named, 'gate.example.com', '', true],
    ['the name with another port', named, 'gate.example.com:8080', '', false],
    ['another name, though the request names it too', named, 'evil.example.com', 'evil.example.com', false],
    ['the name with its own port', odd, 'gate.example.com:8443', '', true],
    ['the name without it', odd, 'gate.example.com', '', false],
    ['this machine', named, 'localhost:3080', '', true],
    ['what the request names where there is no name', nameless, '10.0.0.5:3080', '10.0.0.5:3080', true],
    ['something else than the request names', nameless, 'evil.example.com', '10.0.0.5:3080', false],
    ['loopback through a forwarded port', loopback, '127.0.0.1:9000', '127.0.0.1:9000', true],
    ['another name on loopback', loopback, 'gate.example.com', 'gate.example.com', false],
    ['nonsense', named, 'a/b@c', '', false],
  ])('%s', (_, config, audience, asked, own) => {
    expect(isOwnAudience(config, audience, asked)).toBe(own);
  });
});

describe('failures in words', () => {
  test.each([
    [new StreamRefused('not_allowed', 'no'), 'denied', /configuration of the agent 'web-1' does not allow it: no/],
    [new StreamRefused('unreachable', 'connection refused'), 'target_unreachable', /could not get there: connection/],
    [new StreamRefused('busy', 'full'), 'unavailable', /full/],
    [new StreamRefused('failed', ''), 'target_unreachable', /gave no reason/],
    [new TunnelError('timed_out', 'x'), 'target_unreachable', /did not answer in time/],
    [new TunnelError('closed', 'x'), 'target_unreachable', /was lost/],
    [new TunnelError('busy', 'x'), 'unavailable', /too much open/],
  ])('%s', (error, code, words) => {
    expect(explainFailure(error, 'web-1')).toMatchObject({ code, message: expect.stringMatching(words), cause: error });
  });

  test('what is not of the tunnel stays as it is', () => {
    const error = new Error('mine');

    expect(explainFailure(error, 'web-1')).toBe(error);
  });
});

describe('how often an agent is heard', () => {
  test('a few reports at once, then one a second, whoever else reports', () => {
    let time = 0;
    const pace = createReportPace(() => time);
    for (let report = 0; report < 5; report++) pace.taken('a1', 0);
    expect(pace.waitMs('a1')).toBe(0);

    pace.taken('a1', 0);
    expect([pace.waitMs('a1'), pace.waitMs('a2')]).toEqual([1_000, 0]);
    time += 400;
    expect(pace.waitMs('a1')).toBe(600);
  });

  test('who reports much is heard less often', () => {
    const pace = createReportPace(() => 0);

    pace.taken('a1', 1_000);

    expect(pace.waitMs('a1')).toBe(6_000);
  });
});
