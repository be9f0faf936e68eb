/** Where an application is: the address people know it by, and what is worth knowing about the way there. */
import type { App } from '@gatehouse/contract/kinds/app/apps';
import { Badge } from '@gatehouse/design/badge';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import Unplug from 'lucide-react/icons/unplug';
import { useTranslate } from '../../platform/i18n/words.ts';

/** The specification's form: scheme by kind, then the public address. A gateway on another port than the usual says so itself. */
export function shownAddress({ uri, publicAddr, gatehouse }: App): string {
  if (!publicAddr) return uri;
  const [scheme = ''] = uri.split('://', 1);
  if (scheme === 'tcp' || scheme === 'cloud') return `${scheme}://${publicAddr}`;
  return gatehouse?.origin || `https://${publicAddr}`;
}

/** All of its agents are away. */
export function isAway({ gatehouse }: App): boolean {
  return gatehouse !== undefined && gatehouse.ways > 0 && gatehouse.connected === 0;
}

export function AppBadges({ app }: { app: App }) {
  const t = useTranslate();
  const type = app.gatehouse?.type ?? 'web';
  return (
    <>
      {type !== 'web' && <Badge>{t(`apps.type-${type}`)}</Badge>}
      {app.gatehouse?.insecure && (
        <span title={t('apps.insecure-hint')}>
          <Badge tone="warn" icon={ShieldAlert}>
            {t('apps.insecure')}
          </Badge>
        </span>
      )}
      {isAway(app) && (
        <span title={t('apps.away-hint')}>
          <Badge tone="bad" icon={Unplug}>
            {t('apps.away')}
          </Badge>
        </span>
      )}
    </>
  );
}
