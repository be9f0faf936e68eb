/** What the new server is: with an agent or its own sshd, and the labels it will carry. Makes the token it joins with. */
import { nodeKind } from '@gatehouse/contract/kinds/node/node-kind';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type JoinToken, toJoinToken } from '../../../shared/enrolment/join-token.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { MadeLabels } from '../../../shared/enrolment/made-labels.tsx';

export type JoinMethod = 'agent' | 'openssh';

interface JoinFormProps {
  way: JoinMethod;
  onWay: (way: JoinMethod) => void;
  token: JoinToken | undefined;
  onToken: (token: JoinToken) => void;
}

export function JoinForm({ way, onWay, token, onToken }: JoinFormProps) {
  const t = useTranslate();
  const api = useApi();
  const [pairs, setPairs] = useState<string[]>([]);
  const attempt = useAttempt();
  const wrong = wrongPair(pairs);

  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    if (wrong !== undefined) return;
    const labels = labelsOf(pairs);
    await attempt.run(async () => {
      const made = await api(joinTokenRoutes.create, { body: { roles: [nodeKind.joinRole], labels } });
      onToken(toJoinToken(made, labels));
    });
  };
  return (
    <form className={styles.stack} onSubmit={(event) => void make(event)} noValidate>
      <RadioGroup
        label={t('add-server.way')}
        value={way}
        onValueChange={onWay}
        options={[
          { value: 'agent', label: t('add-server.way-agent'), hint: t('add-server.way-agent-hint') },
          { value: 'openssh', label: t('add-server.way-openssh'), hint: t('add-server.way-openssh-hint') },
        ]}
      />
      {token ? (
        <MadeLabels labels={token.labels} />
      ) : (
        <>
          <LabelField hint={t('add-server.labels-hint')} pairs={pairs} wrong={wrong} onPairs={setPairs} />
          {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
          <div>
            <Button type="submit" tone="primary" loading={attempt.isBusy}>
              {t('joining.make')}
            </Button>
          </div>
        </>
      )}
    </form>
  );
}
