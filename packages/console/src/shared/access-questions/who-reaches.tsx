/** Who can reach a resource, as whom and through which roles. */
import { explainRoutes } from '@gatehouse/contract/access/explain/explain';
import type { ReplyRead } from '@gatehouse/contract/wire/route';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageCluster } from '../../platform/sign-in/user.ts';
import styles from './access.module.css';
import { nameList } from './answer-words.ts';

type Who = ReplyRead<typeof explainRoutes.who>;

/** Of what is given the answer is asked for at once. */
export function WhoReaches({ given }: { given?: string | undefined }) {
  const t = useTranslate();
  const api = useApi();
  const clusterId = usePageCluster();
  const [resource, setResource] = useState(given ?? '');
  const [isChecked, setChecked] = useState(false);
  const [who, setWho] = useState<Who>();
  const attempt = useAttempt();

  const ask = (startKey: string) =>
    attempt.run(async () => {
      const body = { resource: resource.trim(), startKey };
      const page = await api(explainRoutes.who, { params: { clusterId }, body });
      setWho((before) => (before && startKey !== '' ? { ...page, items: [...before.items, ...page.items] } : page));
    });
  const first = useRef(given === undefined ? undefined : () => ask(''));
  useEffect(() => {
    void first.current?.();
    first.current = undefined;
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (resource.trim() !== '') void ask('');
  };
  return (
    <div className={styles.section}>
      <form className={styles.question} onSubmit={submit} noValidate>
        <TextField
          label={t('access.resource')}
          hint={t('access.resource-hint')}
          autoComplete="off"
          spellCheck={false}
          value={resource}
          onValueChange={setResource}
          error={isChecked && resource.trim() === '' ? t('access.resource-missing') : undefined}
        />
        <div>
          <Button type="submit" loading={attempt.isBusy}>
            {t('access.who-ask')}
          </Button>
        </div>
      </form>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {who && !attempt.failure && (
        <div role="status" className={styles.section}>
          <p className={styles.title}>
            {who.totalCount === 0
              ? t('access.who-none')
              : t('access.who-count', { count: who.totalCount, resource: who.resource.name })}
          </p>
          <ul className={styles.items}>
            {who.items.map(({ user, roles, names, locked }) => (
              <li key={user}>
                <div className={styles.item}>
                  <span>
                    {user} <span className={styles.faint}>{roles.join(', ')}</span>{' '}
                    {locked && <Badge tone="bad">{t('access.who-locked')}</Badge>}
                  </span>
                  <span className={styles.names}>{nameList(t, names)}</span>
                </div>
              </li>
            ))}
          </ul>
          {who.startKey !== '' && (
            <div>
              <Button size="small" loading={attempt.isBusy} onClick={() => void ask(who.startKey)}>
                {t('access.show-more')}
              </Button>
            </div>
          )}
        </div>
      )}
    </div>
  );
}
