/** What was missing when somebody was refused, by the id they were shown. */

import { type Denial, denialRoutes } from '@gatehouse/contract/access/explain/denials';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { DetailsList } from '@gatehouse/design/details-list';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageCluster } from '../../platform/sign-in/user.ts';
import styles from './access.module.css';
import { ReasonList, StepList } from './access-answer.tsx';

export function RefusalLookup() {
  const t = useTranslate();
  const api = useApi();
  const clusterId = usePageCluster();
  const [id, setId] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [denial, setDenial] = useState<Denial>();
  const attempt = useAttempt();

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (id.trim() === '') return;
    await attempt.run(async () => {
      const params = { clusterId, id: id.trim() };
      setDenial(await api(denialRoutes.get, { params }));
    });
  };
  return (
    <div className={styles.section}>
      <form className={styles.question} onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label={t('access.refusal-id')}
          hint={t('access.refusal-hint')}
          mono
          value={id}
          onValueChange={setId}
          error={isChecked && id.trim() === '' ? t('access.refusal-missing') : undefined}
        />
        <div>
          <Button type="submit" loading={attempt.isBusy}>
            {t('access.refusal-ask')}
          </Button>
        </div>
      </form>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {denial && !attempt.failure && (
        <div role="status" className={styles.answer}>
          <DetailsList
            details={[
              { name: t('access.user'), value: denial.user },
              { name: t('access.roles'), value: denial.roles.join(', ') },
              { name: t('access.refusal-time'), value: formatDateTime(denial.time) },
              { name: t('access.refusal-call'), value: denial.call, mono: true },
              { name: t('access.refusal-told'), value: asSentence(denial.message) },
            ]}
          />
          <ReasonList reasons={denial.reasons} isNoRole={denial.reasons.length === 0} />
          <StepList title={t('access.to-allow')} steps={denial.change} />
        </div>
      )}
    </div>
  );
}
