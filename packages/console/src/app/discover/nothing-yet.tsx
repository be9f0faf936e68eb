/** Where nothing is enrolled yet: the machine that the gateway runs on is at hand, and the first to try it with. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useAnythingThere } from '../../shared/discover-path/anything-there.ts';

export function NothingYet({ clusterId, onBegin }: { clusterId: string; onBegin: () => void }) {
  const t = useTranslate();
  const { data } = useAnythingThere(clusterId);
  if (data?.hasResource !== false) return null;
  return (
    <Notice tone="info" announce="none" title={t('discover.nothing-yet')}>
      {t('discover.nothing-yet-text')}
      <div>
        <Button onClick={onBegin}>{t('discover.this-machine')}</Button>
      </div>
    </Notice>
  );
}
