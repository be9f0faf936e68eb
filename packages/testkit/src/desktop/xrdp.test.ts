import { expect, test } from 'vitest';
import { displayIn } from './xrdp.ts';

test('a session that began while the one before it still held its display is found at its own', () => {
  const log = `
[INFO ] [session start] (display 400): calling auth_start_session from pid 61
[INFO ] Starting X server on display 400: /usr/lib/xorg/Xorg :400 -auth .Xauthority
[INFO ] Session started successfully for user ann on display 400
[INFO ] Starting X server on display 401: /usr/lib/xorg/Xorg :401 -auth .Xauthority
[INFO ] X server on display 400 (pid 70) returned exit code 0 and signal number 0
`;

  expect(displayIn('')).toBeUndefined();
  expect(displayIn(log)).toBe('401');
});
