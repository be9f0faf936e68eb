/** How the gateway signs in to a database: by a stored password, by a certificate, or as somebody of a cloud. */
import type { DbSignIn } from '@gatehouse/contract/kinds/db/db-spec';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { TextField } from '@gatehouse/design/text-field';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type DbDraft, draftType } from './db-draft.ts';
import styles from './db-form.module.css';
import type { DbFieldsProps } from './use-db-form.ts';

interface SignInFieldsProps extends DbFieldsProps {
  isNew: boolean;
}

export function SignInFields({ isNew, ...fields }: SignInFieldsProps) {
  const t = useTranslate();
  const { draft, onDraft, faults } = fields;
  return (
    <>
      <RadioGroup
        label={t('db-form.sign-in')}
        value={draft.signIn}
        onValueChange={(signIn) => onDraft({ signIn })}
        options={offered(draft).map((value) => ({
          value,
          label: t(`db-form.sign-in-${value}`),
          hint: t(`db-form.sign-in-${value}-hint`),
        }))}
      />
      {faults.signIn !== undefined && (
        <p role="alert" className={styles.fault}>
          {asSentence(faults.signIn)}
        </p>
      )}
      {draft.signIn === 'password' && isNew && <PasswordFields {...fields} />}
      {draft.signIn === 'aws' && <AwsFields {...fields} />}
      {draft.signIn === 'gcp' && <GcpFields {...fields} />}
    </>
  );
}

/** SQL Server is let in by a password alone; Amazon's where the address is Amazon's; Google's has two protocols; what is chosen stays to be seen. */
function offered(draft: DbDraft): readonly DbSignIn[] {
  const type = draftType(draft);
  const isAmazon = type === 'rds' || type === 'redshift';
  const all: readonly DbSignIn[] = ['password', 'certificate', 'aws', 'gcp'];
  return all.filter((each) => {
    if (each === draft.signIn || each === 'password') return true;
    if (draft.protocol === 'sqlserver') return false;
    if (each === 'aws') return isAmazon;
    if (each === 'gcp' && draft.protocol !== 'postgres' && draft.protocol !== 'mysql') return false;
    return !isAmazon;
  });
}

function PasswordFields({ draft, onDraft, faults, onLeave }: DbFieldsProps) {
  const t = useTranslate();
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  return (
    <div className={styles.halves}>
      <TextField
        label={t('db-form.db-user')}
        optional
        hint={t('db-form.db-user-hint')}
        mono
        maxLength={128}
        value={draft.dbUser}
        error={fault('dbUser')}
        onValueChange={(dbUser) => onDraft({ dbUser })}
        onBlur={() => onLeave('dbUser')}
      />
      <TextField
        type="password"
        label={t('db-form.password')}
        optional
        hint={t('db-form.password-hint')}
        autoComplete="new-password"
        maxLength={1024}
        value={draft.password}
        error={fault('password')}
        onValueChange={(password) => onDraft({ password })}
        onBlur={() => onLeave('password')}
      />
    </div>
  );
}

const AWS_FIELDS = ['account', 'region', 'resourceId', 'clusterId', 'roleArn', 'externalId'] as const;
const GCP_FIELDS = ['project', 'instance'] as const;

function AwsFields({ draft, onDraft, faults, onLeave }: DbFieldsProps) {
  const t = useTranslate();
  return (
    <div className={styles.halves}>
      {AWS_FIELDS.map((field) => (
        <CloudField
          key={field}
          label={t(`db-form.aws-${field}`)}
          value={draft.aws[field]}
          fault={faults[`aws.${field}`]}
          onValue={(text) => onDraft({ aws: { ...draft.aws, [field]: text } })}
          onLeave={() => onLeave(`aws.${field}`)}
        />
      ))}
    </div>
  );
}

function GcpFields({ draft, onDraft, faults, onLeave }: DbFieldsProps) {
  const t = useTranslate();
  return (
    <div className={styles.halves}>
      {GCP_FIELDS.map((field) => (
        <CloudField
          key={field}
          label={t(`db-form.gcp-${field}`)}
          value={draft.gcp[field]}
          fault={faults[`gcp.${field}`]}
          onValue={(text) => onDraft({ gcp: { ...draft.gcp, [field]: text } })}
          onLeave={() => onLeave(`gcp.${field}`)}
        />
      ))}
    </div>
  );
}

interface CloudFieldProps {
  label: string;
  value: string;
  fault: string | undefined;
  onValue: (text: string) => void;
  onLeave: () => void;
}

function CloudField({ label, value, fault, onValue, onLeave }: CloudFieldProps) {
  return (
    <TextField
      label={label}
      mono
      value={value}
      error={fault === undefined ? undefined : asSentence(fault)}
      onValueChange={onValue}
      onBlur={onLeave}
    />
  );
}
