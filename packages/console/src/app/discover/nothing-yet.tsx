/** Where nothing is enrolled yet: the machine that the gateway runs on is at hand, and the first to try it with. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useTranslate } from '../../platform/i18n/words.ts';

export function NothingYet({ onBegin }: { onBegin: () => void }) {
  const t = useTranslate();
  return (
    <Notice tone="info" announce="none" title={t('discover.nothing-yet')}>
      {t('discover.nothing-yet-text')}
      <div>
        <Button onClick={onBegin}>{t('discover.this-machine')}</Button>
      </div>
    </Notice>
  );
}
