/** Tells who asked whether a server leads anything back to their program. */
import type { Backward, BackwardPlace, BackwardWay } from '../../sessions/backward.ts';

const WHY_NOT: Record<BackwardWay, (name: string) => string> = {
  agent: (name) => `the server '${name}' forwards no agents: its sshd may have 'AllowAgentForwarding no'`,
  x11: (name) => `the server '${name}' forwards no X11: its sshd may lack 'X11Forwarding yes', or it has no xauth`,
};

export function toldBegun(backward: Backward, at: BackwardPlace) {
  return (way: BackwardWay, hasFailed: boolean) =>
    backward.begun(way, at, hasFailed ? WHY_NOT[way](at.server.name) : undefined);
}
