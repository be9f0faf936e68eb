/** Who dials something that was entered: the gateway, or agents that are nearer. */
import { Checkbox } from '@gatehouse/design/checkbox';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useAgents } from './use-agents.ts';
import styles from './way-there.module.css';

interface ThroughFieldProps {
  /** Names of agents; none: the gateway dials. */
  through: readonly string[];
  onThrough: (through: readonly string[]) => void;
}

export function ThroughField({ through, onThrough }: ThroughFieldProps) {
  const t = useTranslate();
  const agents = useAgents();
  // Without the right to list agents their names can still be kept as they are.
  if ((!agents || agents.length === 0) && through.length === 0) return null;
  const names = [...new Set([...through, ...(agents ?? []).map(({ name }) => name)])].sort();
  const isDirect = through.length === 0;
  return (
    <>
      <RadioGroup
        label={t('way-there.through')}
        value={isDirect ? 'gateway' : 'agents'}
        onValueChange={(way) => onThrough(way === 'gateway' ? [] : names.slice(0, 1))}
        options={[
          { value: 'gateway', label: t('way-there.through-gateway'), hint: t('way-there.through-gateway-hint') },
          { value: 'agents', label: t('way-there.through-agents'), hint: t('way-there.through-agents-hint') },
        ]}
      />
      {!isDirect && (
        <ul className={styles.agents}>
          {names.map((name) => (
            <AgentBox
              key={name}
              name={name}
              isAway={agents?.find((agent) => agent.name === name)?.connected === false}
              isOn={through.includes(name)}
              isLast={through.length === 1}
              onOn={(on) => onThrough(on ? [...through, name] : through.filter((each) => each !== name))}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface AgentBoxProps {
  name: string;
  isAway: boolean;
  isOn: boolean;
  isLast: boolean;
  onOn: (isOn: boolean) => void;
}

function AgentBox({ name, isAway, isOn, isLast, onOn }: AgentBoxProps) {
  const t = useTranslate();
  return (
    <li>
      <Checkbox
        label={isAway ? t('way-there.agent-away', { agent: name }) : name}
        checked={isOn}
        // Taking the last away would silently mean that the gateway dials.
        disabled={isOn && isLast}
        onCheckedChange={onOn}
      />
    </li>
  );
}
