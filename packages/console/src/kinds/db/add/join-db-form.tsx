/** Which databases a new agent will look after: those with these labels. Makes the token it joins with. */
import { dbKind } from '@gatehouse/contract/kinds/db/db-kind';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type JoinToken, toJoinToken } from '../../../shared/enrolment/join-token.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { MadeLabels } from '../../../shared/enrolment/made-labels.tsx';

interface JoinDbFormProps {
  token: JoinToken | undefined;
  onToken: (token: JoinToken) => void;
}

export function JoinDbForm({ token, onToken }: JoinDbFormProps) {
  const t = useTranslate();
  const api = useApi();
  const [pairs, setPairs] = useState<string[]>([]);
  const [isSent, setSent] = useState(false);
  const attempt = useAttempt();
  const wrong = wrongPair(pairs);

  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (wrong !== undefined || pairs.length === 0) return;
    const labels = labelsOf(pairs);
    const matchers = Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]]));
    await attempt.run(async () => {
      const made = await api(joinTokenRoutes.create, {
        body: { roles: [dbKind.joinRole], suggested_agent_matcher_labels: matchers },
      });
      onToken(toJoinToken(made, labels));
    });
  };
  if (token) return <MadeLabels labels={token.labels} />;
  return (
    <form className={styles.stack} onSubmit={(event) => void make(event)} noValidate>
      <LabelField hint={t('add-db.labels-hint')} pairs={pairs} wrong={wrong} onPairs={setPairs} />
      {isSent && pairs.length === 0 && <Notice tone="warn">{t('add-db.labels-missing')}</Notice>}
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      <div>
        <Button type="submit" tone="primary" loading={attempt.isBusy}>
          {t('joining.make')}
        </Button>
      </div>
    </form>
  );
}
