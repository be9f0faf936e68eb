/** Whether anybody can be let into a desktop, as far as it is known here: nobody asks the host meanwhile. */
import type { Desktop } from '@gatehouse/contract/kinds/desktop/desktops';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { ResourceStatus, type Status } from '../../shared/resource-list/resource-status.tsx';

/** What somebody must do something about comes first. */
function statusOf(t: Translate, { gatehouse }: Desktop): Status {
  const { wrong, lacks = [], through = false, connected = true } = gatehouse ?? {};
  if (wrong)
    return { dot: 'bad', words: t('desktops.status-wrong'), hint: t('desktops.status-wrong-hint', { why: wrong }) };
  if (lacks.includes('certificate'))
    return { dot: 'bad', words: t('desktops.status-certificate'), hint: t('desktops.status-certificate-hint') };
  if (lacks.includes('agent') || (through && !connected))
    return { dot: 'bad', words: t('desktops.status-agent'), hint: t('desktops.status-agent-hint') };
  if (through) return { dot: 'ok', words: t('desktops.status-through'), hint: t('desktops.status-through-hint') };
  return { dot: 'ok', words: t('desktops.status-direct'), hint: t('desktops.status-direct-hint') };
}

export function DesktopStatus({ desktop }: { desktop: Desktop }) {
  const t = useTranslate();
  return <ResourceStatus status={statusOf(t, desktop)} />;
}
