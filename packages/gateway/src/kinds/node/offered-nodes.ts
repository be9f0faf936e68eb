/** Servers as agents offer them: the machines they run on. */
import type { OfferedKinds } from '../../reach/agents/tunnels/offered-kind.ts';

export const offeredNodes: OfferedKinds['node'] = {
  searchWords: ({ spec }) => [spec.hostname, spec.os].filter((word) => word !== ''),
};
