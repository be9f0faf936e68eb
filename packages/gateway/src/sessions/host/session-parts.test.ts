import { expect, test, vi } from 'vitest';
import { sessionOptions } from '../../access/session-options.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { HostedSession } from './hosted-session.ts';
import type { Session } from './session-store.ts';

function hostedSession() {
  const [onEnd, onFault] = [vi.fn(), vi.fn()];
  const hosted = new HostedSession({
    session: { id: 's1', user: 'ann', signInId: 'i1', begun: 0 } as Session,
    options: sessionOptions({ roles: [] }),
    rules: [],
    now: () => 0,
    onEnd,
    onFault,
    onEnter() {},
    onLeave() {},
    onRemove() {},
    onConnected() {},
    onResize() {},
    onFlow() {},
  });
  return { hosted, onEnd, onFault };
}
const fails = () => {
  throw new Error('no');
};

test('a part that fails at the end keeps neither the others nor the log from hearing of it', () => {
  const { hosted, onEnd, onFault } = hostedSession();
  const other = vi.fn();
  hosted.parts.attach({ onEnd: fails });
  hosted.parts.attach({ onEnd: other });

  hosted.finish({ cause: 'locked', message: 'locked' });

  expect(other).toHaveBeenCalledOnce();
  expect(onEnd).toHaveBeenCalledOnce();
  expect(onFault).toHaveBeenCalledOnce();
});

test('a part that cannot take new terms does not go on under the old ones', () => {
  const { hosted, onFault } = hostedSession();
  const other = vi.fn();
  hosted.parts.attach({ onTerms: fails });
  hosted.parts.attach({ onTerms: other });

  hosted.tellTerms({} as Actor);

  expect(other).toHaveBeenCalledOnce();
  expect(onFault).toHaveBeenCalledOnce();
  expect(hosted.end?.cause).toBe('failed');
});

test('a part that comes too late hears of the end at once, and one that left does not', () => {
  const { hosted } = hostedSession();
  const [late, left] = [vi.fn(), vi.fn()];
  hosted.parts.attach({ onEnd: left })();
  hosted.finish({ cause: 'closed', message: 'over' });
  hosted.parts.attach({ onEnd: late });

  expect(late).toHaveBeenCalledOnce();
  expect(left).not.toHaveBeenCalled();
});
