import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { afterEach, expect, test, vi } from 'vitest';
import { loadTelemetry } from './load-telemetry.ts';
import { capture, precapture, stopHearing } from './usage.ts';

afterEach(() => {
  localStorage.clear();
  stopHearing();
});

const sending = () => vi.fn(async (_: { method: string; url: string; body?: string }) => ({ status: 200, text: '' }));

test.each([null, 'false', '1'])('with the flag %s nothing is sent, and nothing is kept for later', async (flag) => {
  if (flag !== null) localStorage.setItem(STORAGE_KEYS.telemetry, flag);
  const send = sending();

  capture({ event: 'tp.ui.createNewRole.click' });
  await loadTelemetry({ storage: localStorage, send });
  capture({ event: 'tp.ui.createNewRole.click' });
  localStorage.setItem(STORAGE_KEYS.telemetry, 'true');
  await loadTelemetry({ storage: localStorage, send });

  expect(send).not.toHaveBeenCalled();
});

test('with the flag "true" what is used is told to the gateway, also what was used before the code was there', async () => {
  localStorage.setItem(STORAGE_KEYS.telemetry, 'true');
  const send = sending();

  precapture({ event: 'tp.ui.recoveryCodesCopy.click', username: 'maya' });
  await loadTelemetry({ storage: localStorage, send });
  capture({ event: 'tp.ui.createNewRole.click' });

  expect(send.mock.calls.map(([request]) => request)).toEqual([
    {
      method: 'POST',
      url: '/v1/webapi/precapture',
      body: '{"event":"tp.ui.recoveryCodesCopy.click","username":"maya"}',
    },
    { method: 'POST', url: '/v1/webapi/capture', body: '{"event":"tp.ui.createNewRole.click"}' },
  ]);
});

test('a gateway that does not take it disturbs nobody', async () => {
  localStorage.setItem(STORAGE_KEYS.telemetry, 'true');
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  await loadTelemetry({ storage: localStorage, send: () => Promise.reject(new Error('away')) });

  expect(() => capture({ event: 'tp.ui.createNewRole.click' })).not.toThrow();
  await new Promise((resolve) => setTimeout(resolve));
  vi.restoreAllMocks();
});
