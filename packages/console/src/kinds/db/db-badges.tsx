/** What a database is, and what is worth knowing about the way there. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { dbTitle } from '@gatehouse/contract/kinds/db/db-address';
import { Badge } from '@gatehouse/design/badge';
import type { IconComponent } from '@gatehouse/design/icon';
import Lock from 'lucide-react/icons/lock';
import LockOpen from 'lucide-react/icons/lock-open';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import Unplug from 'lucide-react/icons/unplug';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';

/** The specification's form: type, then protocol. */
export function titleOf({ type, protocol, gatehouse }: Database): string {
  return gatehouse?.title ?? dbTitle(type, protocol);
}

/** All of its agents are away. */
export function isAway({ gatehouse }: Database): boolean {
  return gatehouse !== undefined && gatehouse.ways > 0 && gatehouse.connected === 0;
}

export function ReadOnlyBadge({ database }: { database: Database }) {
  const t = useTranslate();
  if (!database.gatehouse?.readOnly) return null;
  return (
    <span title={t('databases.read-only-hint')}>
      <Badge icon={Lock}>{t('databases.read-only')}</Badge>
    </span>
  );
}

interface Warning {
  icon: IconComponent;
  word: WordId;
  hint: WordId;
}

const TLS_WARNINGS: Readonly<Record<'insecure' | 'off', Warning>> = {
  insecure: { icon: ShieldAlert, word: 'databases.insecure', hint: 'databases.insecure-hint' },
  off: { icon: LockOpen, word: 'databases.tls-off', hint: 'databases.tls-off-hint' },
};

export function TlsBadge({ database }: { database: Database }) {
  const t = useTranslate();
  const mode = database.gatehouse?.tls;
  const warning = mode === 'insecure' || mode === 'off' ? TLS_WARNINGS[mode] : undefined;
  if (!warning) return null;
  return (
    <span title={t(warning.hint)}>
      <Badge tone="warn" icon={warning.icon}>
        {t(warning.word)}
      </Badge>
    </span>
  );
}

/** Where nothing beside it tells its state. */
export function WayBadges({ database }: { database: Database }) {
  const t = useTranslate();
  return (
    <>
      {database.gatehouse?.wrong && (
        <span title={t('databases.wrong-hint', { why: database.gatehouse.wrong })}>
          <Badge tone="bad" icon={ShieldAlert}>
            {t('databases.wrong')}
          </Badge>
        </span>
      )}
      <TlsBadge database={database} />
      {isAway(database) && (
        <span title={t('databases.away-hint')}>
          <Badge tone="bad" icon={Unplug}>
            {t('databases.away')}
          </Badge>
        </span>
      )}
    </>
  );
}
