/** Desktops as agents offer them, held to what the gateway would do in their name. */
import { isIP } from 'node:net';
import { whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import type { OfferedKinds } from '../../reach/agents/tunnels/offered-kind.ts';
import { hostOf } from './listed-desktop.ts';

/** The agent alone dials what it names; passwords are stored for what it offers by who may change desktops, and for this agent. */
export const offeredDesktops: NonNullable<OfferedKinds['desktop']> = {
  checks:
    () =>
    ({ spec }) => {
      const host = hostOf(spec.addr);
      // What no agent may be made to dial, however its file was written.
      const why = isIP(host) ? whyForbidden(host) : undefined;
      return why === undefined ? undefined : `${host} ${why}: it is never reached`;
    },
};
