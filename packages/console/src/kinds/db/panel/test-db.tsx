/** Tries to sign in to a database as some user, to one of the databases in it. */
import type { DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import { dbKind } from '@gatehouse/contract/kinds/db/db-kind';
import { Notice } from '@gatehouse/design/notice';
import Database from 'lucide-react/icons/database';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ConnectionTest, type TriedConnection } from '../../../shared/connection-steps/connection-test.tsx';
import { ChoiceField } from '../connect/choice-field.tsx';
import { type DbChoice, firstChoice, fits, lacks, nameChoices, userChoices } from '../connect/db-choices.ts';

interface TestDbProps {
  clusterId: string;
  details: DatabaseDetails;
  onPassed?: (choice: DbChoice) => void;
}

export function TestDb({ clusterId, details: { item, tls, uri, agents }, onPassed }: TestDbProps) {
  const t = useTranslate();
  const [choice, setChoice] = useState(() => firstChoice(item, undefined));
  const { dbUser, dbName } = choice;
  const missing = lacks(item);
  if (missing) return <Notice tone="warn">{t(`db-connect.lacks-${missing}`)}</Notice>;

  const wanted = (): TriedConnection | undefined => {
    if (!fits(userChoices(item), dbUser) || (dbName !== '' && !fits(nameChoices(item), dbName))) return undefined;
    const named = dbName === '' ? {} : { database_name: dbName };
    return {
      asked: { resource_kind: 'db', resource_name: item.name, database_user: dbUser, ...named },
      factor: { database: { service_name: item.name, protocol: item.protocol, username: dbUser } },
    };
  };
  const steps = dbKind.testSteps.filter((step) => step !== 'tls' || tls.mode !== 'off');
  return (
    <ConnectionTest
      clusterId={clusterId}
      steps={steps.map((step) => ({ step, title: t(`db-panel.step-${step}`) }))}
      lead={t('db-panel.test-lead')}
      wanted={wanted}
      fields="several"
      onPassed={() => onPassed?.(choice)}
      target={{ name: item.name, at: uri, icon: Database, agent: agents[0]?.name }}
    >
      <ChoiceField
        label={t('db-connect.user')}
        hint={t('db-panel.test-user-hint')}
        choices={userChoices(item)}
        value={dbUser}
        onValue={(user) => setChoice({ ...choice, dbUser: user })}
      />
      <ChoiceField
        label={t('db-connect.name')}
        hint={t('db-panel.test-name-hint')}
        choices={nameChoices(item)}
        value={dbName}
        onValue={(name) => setChoice({ ...choice, dbName: name })}
      />
    </ConnectionTest>
  );
}
