/** Who is in the session of a pane and who types, and what oneself is there for. Shown as soon as there is more to say than that one is alone. */
import type { Party } from '@gatehouse/contract/sessions/terminal-frames';
import { Avatar } from '@gatehouse/design/avatar';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { Tooltip } from '@gatehouse/design/tooltip';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Eye from 'lucide-react/icons/eye';
import Keyboard from 'lucide-react/icons/keyboard';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Users from 'lucide-react/icons/users';
import { lazy, Suspense, useState } from 'react';
import { loadWords, useWords } from '../../words/words.ts';
import { isOwnSession, type LiveTerminal, type TerminalView } from '../session/live-terminal.ts';
import styles from './people.module.css';

interface PeopleBarProps {
  name: string;
  live: LiveTerminal;
  view: TerminalView;
}

export function PeopleBar({ name, live, view }: PeopleBarProps) {
  const t = useWords();
  const [isEnding, setEnding] = useState(false);
  const { session, parties, line } = view;
  if (!session || line.is === 'ended' || line.is === 'refused') return null;
  const { mode, user } = session;
  const isOwn = isOwnSession(view);
  if (isOwn && parties.length < 2) return null;
  const people = onePerPerson(parties);
  const typing = people.filter((party) => party.typing && !party.self);
  const others = people.filter(({ self }) => !self).length;
  return (
    <div className={styles.bar} data-mode={isOwn ? undefined : mode}>
      <span className={styles.what}>
        <Icon of={isOwn ? Users : ICONS[mode]} size={14} />
        <span className={styles.words}>
          {isOwn ? t('terminal.people-others', { count: others }) : t(`terminal.people-${mode}`, { name: user })}
        </span>
      </span>
      <ul className={styles.people} aria-label={t('terminal.people')}>
        {people.map((party) => (
          <Person key={party.id} party={party} />
        ))}
      </ul>
      <span className={styles.typing} role="status">
        {typing.length > 0 && t('terminal.people-typing', { names: typing.map((party) => party.user).join(', ') })}
      </span>
      {mode === 'moderator' && (
        <Button size="small" tone="danger" onClick={() => setEnding(true)}>
          {t('terminal.people-end')}
        </Button>
      )}
      {isEnding && (
        <Suspense>
          <EndDialog
            what={name}
            owner={user}
            onClose={() => setEnding(false)}
            onEnd={async (reason) => live.endForAll(reason)}
          />
        </Suspense>
      )}
    </div>
  );
}

const EndDialog = lazy(async () => {
  const [file] = await Promise.all([import('../../sessions/end-dialog.tsx'), loadWords(['sessions'])]);
  return { default: file.EndDialog };
});

const ICONS = { observer: Eye, moderator: ShieldCheck, peer: Keyboard } as const;

function Person({ party: { user, mode, self, typing } }: { party: Party }) {
  const t = useWords();
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
