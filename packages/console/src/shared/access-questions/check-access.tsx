/** Asks whether somebody can reach something under a name, and shows why or why not. */
import { type Explanation, explainRoutes, type ResourceQuestion } from '@gatehouse/contract/access/explain/explain';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useEffect, useId, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageCluster, useUser } from '../../platform/sign-in/user.ts';
import styles from './access.module.css';
import { AccessAnswer } from './access-answer.tsx';
import { useUsers } from './access-queries.ts';

interface CheckAccessProps {
  /** Whom it is about, where that is clear from the place; otherwise it is asked. */
  user?: string;
  /** A resource that was picked elsewhere. */
  resource?: { kind: Kind; id: string; name: string };
  /** The account on it. */
  as?: string;
  /** Asks whether there is any name at all, as long as none is typed. */
  anyName?: true | undefined;
  asksAtOnce?: boolean;
}

export function CheckAccess(props: CheckAccessProps) {
  const { user: given, resource: picked, as: account = '', anyName, asksAtOnce = false } = props;
  const t = useTranslate();
  const api = useApi();
  const clusterId = usePageCluster();
  const { userName } = useUser();
  const [user, setUser] = useState(given ?? userName);
  const [resource, setResource] = useState(picked?.name ?? '');
  const [as, setAs] = useState(account);
  const [isChecked, setChecked] = useState(false);
  const [answer, setAnswer] = useState<Explanation>();
  const attempt = useAttempt();

  const check = async () => {
    setChecked(true);
    if (user.trim() === '' || resource.trim() === '') return;
    const isPicked = picked !== undefined && picked.name === resource;
    const where = isPicked ? { kind: picked.kind, resource: picked.id } : { resource: resource.trim() };
    const ask = (question: Partial<ResourceQuestion>) =>
      api(explainRoutes.explain, {
        params: { clusterId },
        body: { user: user.trim(), ...where, ...question },
      });
    await attempt.run(async () => {
      const isAnyName = anyName && isPicked && as.trim() === '';
      const seen = await ask(isAnyName ? { anyName } : {});
      // Only now it is known what the thing is, and so what a name on it is called.
      const name = as.trim() === '' || !seen.resource ? undefined : named(seen.resource.kind, as.trim());
      setAnswer(name ? await ask(name) : seen);
    });
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void check();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, about what was given
  useEffect(() => {
    if (asksAtOnce) void check();
  }, []);
  return (
    <div className={styles.section}>
      <form className={styles.question} onSubmit={submit} noValidate>
        <div className={given ? styles.pair : styles.triple}>
          {!given && <UserField value={user} onValueChange={setUser} />}
          <TextField
            label={t('access.resource')}
            title={t('access.resource-hint')}
            autoComplete="off"
            spellCheck={false}
            value={resource}
            onValueChange={setResource}
            error={isChecked && resource.trim() === '' ? t('access.resource-missing') : undefined}
          />
          <TextField label={t('access.as')} mono optional value={as} onValueChange={setAs} />
        </div>
        <div>
          <Button type="submit" loading={attempt.isBusy}>
            {t('access.check')}
          </Button>
        </div>
      </form>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {answer && !attempt.failure && <AccessAnswer answer={answer} />}
    </div>
  );
}

/** The name on it that people mean: the login where there is one. */
function named(kind: Kind, as: string): Partial<ResourceQuestion> {
  const { principals } = factsOf(kind);
  const meant = principals.find(({ login }) => login) ?? principals.find(({ main }) => main);
  return meant ? { [meant.asked ?? meant.name]: as } : {};
}

function UserField({ value, onValueChange }: { value: string; onValueChange: (user: string) => void }) {
  const t = useTranslate();
  const listId = useId();
  const users = useUsers().data ?? [];
  return (
    <>
      <TextField
        label={t('access.user')}
        autoComplete="off"
        spellCheck={false}
        list={users.length > 0 ? listId : undefined}
        value={value}
        onValueChange={onValueChange}
      />
      <datalist id={listId}>
        {users.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
