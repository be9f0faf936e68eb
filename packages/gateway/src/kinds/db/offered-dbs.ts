/** Databases as agents offer them, held to what the gateway would do in their name. */
import { isIP } from 'node:net';
import { parseDbUri } from '@gatehouse/contract/kinds/db/db-address';
import { signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import { whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import type { OfferedKinds } from '../../reach/agents/tunnels/offered-kind.ts';

/**
 * An agent says where a database is and how it is checked, and the gateway signs in there. It must not thereby be led to
 * sign in somewhere else: bytes could be carried to a database that trusts the gateway and whose labels are others.
 */
export const offeredDbs: NonNullable<OfferedKinds['db']> = {
  checks: () => (offered) => {
    const { spec } = offered;
    const parsed = parseDbUri(spec.uri, spec.protocol);
    if ('wrong' in parsed) return `its address ${parsed.wrong}`;
    // What no agent may be made to dial, however its file was written.
    for (const { host } of parsed.address.hosts) {
      const why = isIP(host) ? whyForbidden(host) : undefined;
      if (why !== undefined) return `${host} ${why}: it is never reached`;
    }
    const signIn = signInOf(spec);
    if (signIn !== 'certificate')
      return `it is signed in to by '${signIn}', and the gateway does that only for databases that are entered there: gatehouse db add ${offered.name} … --through this agent`;
    if (spec.tls.mode !== 'verify-full')
      return `its TLS is '${spec.tls.mode}', and without a name that is checked the gateway could be led to another database: enter it with gatehouse db add ${offered.name} … --through this agent`;
    if (spec.adminUser.name !== '')
      return "it has 'adminUser', by whom users are made: only an administrator enters that";
    if (spec.limits.initSql.length > 0)
      return "it has 'limits.initSql', which runs as everybody who signs in: only an administrator enters that";
    return undefined;
  },
};
