/** Servers as an agent offers them: the machine it runs on, unless that is turned off. */
import { osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import { z } from 'zod';
import { defineAgentKind } from '../agent-kind.ts';
import { describeMachine } from './describe-machine.ts';
import { ownUser } from './login/find-user.ts';

export const agentNodes = defineAgentKind({
  config: {
    logins: z.array(osLogin).min(1).max(64).optional(),
    shell: z.boolean().default(true),
    /** Connections from this machine to wherever its users reach. */
    forward: z.boolean().default(true),
  },
  offer({ shell, logins }, self) {
    if (!shell) return [];
    const user = ownUser();
    return [describeMachine({ ...self, logins: user.uid === 0 ? logins : [user.name] })];
  },
});
