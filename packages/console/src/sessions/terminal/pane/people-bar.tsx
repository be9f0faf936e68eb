/** Over the session of somebody else: what oneself is there for, who is in it and who types. */

import { Button } from '@gatehouse/design/button';
import { ONE_LINE } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import Eye from 'lucide-react/icons/eye';
import Keyboard from 'lucide-react/icons/keyboard';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { isOwnSession, type LiveTerminal, type TerminalView } from '../session/live-terminal.ts';
import styles from './people.module.css';
import { People } from './people.tsx';

interface PeopleBarProps {
  name: string;
  live: LiveTerminal;
  view: TerminalView;
}

export function PeopleBar({ name, live, view }: PeopleBarProps) {
  const t = useTranslate();
  const [isEnding, setEnding] = useState(false);
  const { session, parties, line } = view;
  if (!session || isOwnSession(view) || line.is === 'ended' || line.is === 'refused') return null;
  const { mode, user } = session;
  return (
    <div className={styles.bar} data-mode={mode}>
      <span className={styles.what}>
        <Icon of={ICONS[mode]} size={14} />
        <span className={ONE_LINE}>{t(`terminal.people-${mode}`, { name: user })}</span>
      </span>
      <People parties={parties} />
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

const EndDialog = lazyPart(
  () => import('../../../shared/end-session/end-dialog.tsx').then((file) => file.EndDialog),
  ['sessions'],
);

const ICONS = { observer: Eye, moderator: ShieldCheck, peer: Keyboard } as const;
