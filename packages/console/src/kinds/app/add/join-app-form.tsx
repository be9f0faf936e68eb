/** What a new agent will offer: the application's name and the address as the agent's machine has it. Makes the token it joins with. */
import { appKind } from '@gatehouse/contract/kinds/app/app-kind';
import { appName, appUri } from '@gatehouse/contract/kinds/app/app-spec';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type JoinToken, toJoinToken } from '../../../shared/enrolment/join-token.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { MadeLabels } from '../../../shared/enrolment/made-labels.tsx';
import { withScheme } from '../form/app-draft.ts';

interface JoinAppFormProps {
  token: JoinToken | undefined;
  onToken: (token: JoinToken) => void;
}

export function JoinAppForm({ token, onToken }: JoinAppFormProps) {
  const t = useTranslate();
  const api = useApi();
  const [typedName, setName] = useState('');
  const [typedUri, setUri] = useState('');
  const [pairs, setPairs] = useState<string[]>([]);
  const [isSent, setSent] = useState(false);
  const attempt = useAttempt();
  const name = appName.safeParse(typedName.trim());
  const uri = appUri.safeParse(withScheme(typedUri));
  const wrong = wrongPair(pairs);

  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (!name.success || !uri.success || wrong !== undefined) return;
    const labels = labelsOf(pairs);
    const app = { name: name.data, uri: uri.data };
    await attempt.run(async () => {
      const made = await api(joinTokenRoutes.create, { body: { roles: [appKind.joinRole], labels, app } });
      onToken(toJoinToken(made, labels));
    });
  };
  if (token) return <MadeLabels labels={{ [typedName.trim()]: withScheme(typedUri), ...token.labels }} />;
  const fault = (parsed: typeof name) =>
    isSent && !parsed.success ? asSentence(parsed.error.issues[0]?.message ?? '') : undefined;
  return (
    <form className={styles.stack} onSubmit={(event) => void make(event)} noValidate>
      <TextField
        label={t('app-form.uri')}
        hint={t('add-app.uri-hint')}
        mono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={typedUri}
        error={fault(uri)}
        onValueChange={setUri}
      />
      <TextField
        label={t('apps.name')}
        hint={t('app-form.name-hint')}
        mono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={typedName}
        error={fault(name)}
        onValueChange={setName}
      />
      <LabelField hint={t('app-form.labels-hint')} pairs={pairs} wrong={wrong} onPairs={setPairs} />
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      <div>
        <Button type="submit" tone="primary" loading={attempt.isBusy}>
          {t('joining.make')}
        </Button>
      </div>
    </form>
  );
}
