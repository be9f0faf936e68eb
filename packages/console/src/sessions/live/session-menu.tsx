/** The ways into a session and out of it, under one button. */
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import { useToast } from '@gatehouse/design/toast';
import CircleStop from 'lucide-react/icons/circle-stop';
import Ellipsis from 'lucide-react/icons/ellipsis';
import Eye from 'lucide-react/icons/eye';
import Keyboard from 'lucide-react/icons/keyboard';
import Link from 'lucide-react/icons/link';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { joinPath, joinWays, whatOf } from './session-facts.ts';

const WAY_ICONS = { observer: Eye, moderator: ShieldCheck, peer: Keyboard } as const satisfies Record<
  ParticipantMode,
  unknown
>;

interface SessionMenuProps {
  clusterId: string;
  session: ActiveSession;
  isOwn: boolean;
  onEnd: () => void;
}

export function SessionMenu({ clusterId, session, isOwn, onEnd }: SessionMenuProps) {
  const t = useTranslate();
  const follow = useFollow();
  const toast = useToast();
  const ways = joinWays(session, isOwn);
  const copy = async () => {
    const [way = 'observer'] = ways;
    await navigator.clipboard?.writeText(`${window.location.origin}${joinPath(session, clusterId, way, isOwn)}`);
    toast.show({ tone: 'ok', title: t('sessions.copied') });
  };
  if (ways.length === 0 && !session.mayEnd) return null;
  return (
    <Menu
      trigger={
        <IconButton
          icon={Ellipsis}
          size="small"
          label={t('sessions.more', { owner: session.owner, what: whatOf(session) })}
        />
      }
    >
      {ways.map((way) => (
        <MenuItem
          key={way}
          icon={WAY_ICONS[way]}
          hint={t(`sessions.join-${way}-hint`)}
          onSelect={() => follow(joinPath(session, clusterId, way, isOwn))}
        >
          {t(`sessions.join-${way}`)}
        </MenuItem>
      ))}
      {ways.length > 0 && (
        <MenuItem icon={Link} onSelect={() => void copy()}>
          {t('sessions.copy-link')}
        </MenuItem>
      )}
      {session.mayEnd && (
        <>
          {ways.length > 0 && <MenuSeparator />}
          <MenuItem icon={CircleStop} tone="danger" onSelect={onEnd}>
            {t('sessions.end')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
