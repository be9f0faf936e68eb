/** The door of programs to TCP applications. */
import { APP_TCP_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import type { MfaPasses } from '../../sessions/tcp/mfa-passes.ts';
import type { TcpDoor } from '../../sessions/tcp/tcp-socket.ts';
import type { AppDialer } from './dial-app.ts';
import { findTcpApp, type OpenAppDeps, openAppSession } from './open-app.ts';

export interface TcpDoorDeps extends OpenAppDeps {
  dialer: AppDialer;
  passes: MfaPasses;
}

export function appTcpDoor(deps: TcpDoorDeps): TcpDoor {
  return {
    kind: 'app',
    path: APP_TCP_SOCKET,
    passes: deps.passes,
    async find(actor, name) {
      const app = await findTcpApp(deps, actor, { name });
      return {
        name: app.resource.name,
        open: (opening) => openAppSession(deps, app, opening),
        dial: async (options) => ({ stream: await deps.dialer.dial(app, options) }),
      };
    },
  };
}
