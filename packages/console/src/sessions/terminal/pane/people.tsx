/** The people of a session as a row of letters, and who of them types. */
import type { Party } from '@gatehouse/contract/sessions/terminal-frames';
import { Avatar } from '@gatehouse/design/avatar';
import { Tooltip } from '@gatehouse/design/tooltip';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './people.module.css';

export function People({ parties }: { parties: readonly Party[] }) {
  const t = useTranslate();
  const people = onePerPerson(parties);
  const typing = people.filter((party) => party.typing && !party.self);
  return (
    <>
      <ul className={styles.people} aria-label={t('terminal.people')}>
        {people.map((party) => (
          <Person key={party.id} party={party} />
        ))}
      </ul>
      <span className={styles.typing} role="status">
        {typing.length > 0 && t('terminal.people-typing', { names: typing.map((party) => party.user).join(', ') })}
      </span>
    </>
  );
}

function Person({ party: { user, mode, self, typing } }: { party: Party }) {
  const t = useTranslate();
  const name = self ? t('terminal.party-self', { name: user }) : user;
  const words = t('terminal.person', { name, mode: t(`terminal.mode-${mode}`) });
  return (
    <li>
      <Tooltip content={words}>
        <span className={styles.person} data-typing={typing || undefined} data-mode={mode}>
          <Avatar name={user} self={self} />
          <VisuallyHidden>{words}</VisuallyHidden>
        </span>
      </Tooltip>
    </li>
  );
}

const WEIGHT = { moderator: 0, peer: 1, observer: 2 } as const;

/** Somebody with two windows is shown once, as what they may do most; oneself last. */
function onePerPerson(parties: readonly Party[]): Party[] {
  const known = new Map<string, Party>();
  for (const party of parties) {
    const before = known.get(party.user);
    const [more, less] = before && WEIGHT[before.mode] <= WEIGHT[party.mode] ? [before, party] : [party, before];
    known.set(party.user, {
      ...more,
      self: more.self || less?.self === true,
      typing: more.typing || less?.typing === true,
    });
  }
  return [...known.values()].sort((a, b) => Number(a.self) - Number(b.self));
}
