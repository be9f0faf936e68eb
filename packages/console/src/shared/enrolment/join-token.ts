/** A join token as the dialogs that made it show it: its command, how long it works, and what joins with it. */
import { type joinTokenRoutes, RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { ReplyRead } from '@gatehouse/contract/wire/route';

export interface JoinToken {
  /** What lists and progress call it: no secret. */
  id: string;
  secret: string;
  expires: string;
  command: string;
  /** Empty for what no sshd offers. */
  openSshCommand: string;
  /** Of one for clusters: what to type, and the address that a path is put behind. */
  fetch: { command: string; address: string } | undefined;
  /** Why other machines cannot use it as things stand. */
  warning: string | undefined;
  labels: Readonly<Record<string, string>>;
  /** What joins with it carries this; empty where the gateway did not say. */
  resourceId: string;
}

export function toJoinToken(made: ReplyRead<typeof joinTokenRoutes.create>, labels: JoinToken['labels']): JoinToken {
  const { command = '', openSshCommand = '', warning, fetch, tokenId = '' } = made.gatehouse ?? {};
  return {
    id: tokenId,
    secret: made.id,
    expires: made.expiry,
    command,
    openSshCommand,
    ...{ warning, fetch },
    labels,
    resourceId: made.suggestedLabels.find(({ name }) => name === RESOURCE_ID_LABEL)?.value ?? '',
  };
}
