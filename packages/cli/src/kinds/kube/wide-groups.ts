/** Warns of groups by which everything may be done in a cluster. */
import type { Io } from '../../command.ts';

export function warnOfWideGroups(io: Pick<Io, 'stderr'>, groups: readonly string[]): void {
  const wide = groups.find((group) => group === '*' || group === 'system:masters');
  if (wide === undefined) return;
  io.stderr(
    wide === '*'
      ? "warning: '*' includes system:masters: whoever has the token of the gateway may do everything in the cluster\n"
      : 'warning: whoever is in system:masters may do everything in the cluster, whatever its roles say\n',
  );
}
