/** Dates, times and numbers as they are written everywhere, for the present moment. */
import { formatDate, formatDateTime } from '@gatehouse/contract/std/dates';
import { DetailsList } from '@gatehouse/design/details-list';
import { useEffect, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { formatNumber, timeZone } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';

const SAMPLE_NUMBER = 1_234_567.8;

export function DatePreview() {
  const t = useTranslate();
  const { now } = useBrowser();
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), 1000);
    return () => clearInterval(timer);
  }, [now]);

  return (
    <DetailsList
      details={[
        { name: t('settings.date'), value: formatDate(time) },
        { name: t('settings.date-time'), value: formatDateTime(time) },
        { name: t('settings.time-zone'), value: timeZone() },
        { name: t('settings.numbers'), value: formatNumber(SAMPLE_NUMBER) },
      ]}
    />
  );
}
