/** What the command fetches and runs, shown to whoever wants to read it before. Nothing of it is counted as a machine that came. */
import { LOOK_HEADER } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { readError } from '@gatehouse/contract/wire/client';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './run-step.module.css';
import { scriptPathIn } from './script-path.ts';

/** Nothing for a command that fetches no script. */
export function ReadScript({ command }: { command: string }) {
  const t = useTranslate();
  const { fetchBytes } = useBrowser();
  const attempt = useAttempt();
  const [text, setText] = useState<string>();
  const path = scriptPathIn(command);
  if (path === undefined) return null;
  const read = () =>
    attempt.run(async () => {
      // Of this gateway itself, whatever name the command has for it.
      const received = await fetchBytes(path, undefined, { [LOOK_HEADER]: '1' });
      if (received.status !== 200) throw readError(received, path);
      setText(new TextDecoder().decode(received.bytes));
    });
  return (
    <>
      <TextButton disabled={attempt.isBusy} onClick={() => void read()}>
        {t('discover.script-read')}
      </TextButton>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {text !== undefined && (
        <Dialog open size="large" title={t('discover.script-title')} onOpenChange={() => setText(undefined)}>
          <div className={styles.script}>
            <p>{t('discover.script-lead', { count: text.trimEnd().split('\n').length })}</p>
            <CodeBlock label={t('discover.script')} code={text} />
          </div>
        </Dialog>
      )}
    </>
  );
}
