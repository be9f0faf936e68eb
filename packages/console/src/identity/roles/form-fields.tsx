/** The kinds of fields the form of a role is made of. Each reads its value from the document and gives back another. */
import { Button } from '@gatehouse/design/button';
import { Select } from '@gatehouse/design/select';
import { Switch } from '@gatehouse/design/switch';
import { TokenInput } from '@gatehouse/design/token-input';
import Plus from 'lucide-react/icons/plus';
import { useTranslate } from '../../platform/i18n/words.ts';
import { AddingRow, Changeable } from '../../shared/document-editor/document-form.tsx';
import { textsAt, valueAt } from '../../shared/document-editor/read-document.ts';
import { LabelRows } from './label-rows.tsx';
import type { FormDocument, FormField } from './role-fields.ts';
import { ownNames, traitWords } from './trait-words.ts';

export function FieldOf({ field, document }: { field: FormField; document: FormDocument }) {
  return (
    <Changeable {...document} path={field.path}>
      <Content field={field} document={document} />
    </Changeable>
  );
}

function Content({ field, document }: { field: FormField; document: FormDocument }) {
  const t = useTranslate();
  const { value, isReadOnly, set } = document;
  const { path } = field;
  const label = t(field.label);
  switch (field.type) {
    case 'labels':
      return <LabelRows label={label} path={path} document={document} />;
    case 'names':
      return <NamesField label={label} hint={field.hint && t(field.hint)} path={path} document={document} />;
    case 'length':
      return <LengthField label={label} path={path} document={document} />;
    case 'switch': {
      const found = valueAt(value, path);
      return (
        <Switch
          label={label}
          checked={found === undefined ? field.standard : isOn(found)}
          disabled={isReadOnly}
          onCheckedChange={(isChecked) => set(path, isChecked === field.standard ? undefined : isChecked)}
        />
      );
    }
    case 'choice': {
      const [chosen = NOT_SET] = textsAt(value, path);
      return (
        <Select
          label={label}
          value={chosen}
          disabled={isReadOnly}
          onValueChange={(choice) => set(path, choice === NOT_SET ? undefined : choice)}
          options={[
            { value: NOT_SET, label: t('document.not-set') },
            ...field.options.map((option) => ({ value: option.value, label: t(option.label) })),
          ]}
        />
      );
    }
    default:
      return field satisfies never;
  }
}

interface NamedProps {
  label: string;
  path: FormField['path'];
  document: FormDocument;
}

/** Names are written, or taken from the user: then the chip says so in words. */
function NamesField({
  label,
  hint,
  path,
  document: { value, isReadOnly, set },
}: NamedProps & { hint: string | undefined }) {
  const t = useTranslate();
  const names = textsAt(value, path);
  const own = path[1] === 'allow' ? ownNames(path[2] ?? '') : undefined;
  const write = (next: readonly string[]) => set(path, next.length === 0 ? undefined : next);
  return (
    <TokenInput
      label={label}
      hint={hint}
      value={names}
      disabled={isReadOnly}
      shownAs={(name) => traitWords(t, name)}
      onValueChange={write}
      after={
        own !== undefined &&
        !isReadOnly &&
        !names.some((name) => traitWords(t, name) === traitWords(t, own)) && (
          <AddingRow>
            <Button tone="ghost" size="small" icon={Plus} onClick={() => write([...names, own])}>
              {t('roles.add-own', { names: traitWords(t, own) ?? own })}
            </Button>
          </AddingRow>
        )
      }
    />
  );
}

const NOT_SET = 'not-set';
const LENGTHS = ['15m', '30m', '1h', '4h', '8h', '12h', '24h'];

/** A length that is written another way stays among the choices. */
function LengthField({ label, path, document: { value, saved, isReadOnly, set } }: NamedProps) {
  const t = useTranslate();
  const [chosen = NOT_SET] = textsAt(value, path);
  const [before = NOT_SET] = textsAt(saved, path);
  const word = (length: string) => (length === NOT_SET ? t('roles.no-limit') : lengthWords(t, length));
  const choices = [...new Set([NOT_SET, ...LENGTHS, chosen])];
  return (
    <Select
      label={label}
      value={chosen}
      disabled={isReadOnly}
      hint={saved !== undefined && before !== chosen ? t('document.it-was', { before: word(before) }) : undefined}
      onValueChange={(length) => set(path, length === NOT_SET ? undefined : length)}
      options={choices.map((length) => ({ value: length, label: word(length) }))}
    />
  );
}

function lengthWords(t: ReturnType<typeof useTranslate>, length: string): string {
  const [, amount = '', unit = ''] = /^(\d+)(m|h)$/.exec(length) ?? [];
  if (unit === 'm') return t('roles.minutes', { count: Number(amount) });
  return unit === 'h' ? t('roles.hours', { count: Number(amount) }) : length;
}

/** Documents also say `yes` and `on`, and name the kind of factor. */
function isOn(found: unknown): boolean {
  return !(found === false || (typeof found === 'string' && ['no', 'off', 'false'].includes(found.toLowerCase())));
}
