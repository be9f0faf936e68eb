import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { TextField } from './text-field.tsx';
import { DesignWordsProvider } from './words.tsx';

afterEach(cleanup);

test('an error marks the field as invalid and describes it', () => {
  render(<TextField label="Name" hint="Letters and dashes." error="Use a dash instead of the space." />);
  const field = screen.getByLabelText('Name');

  expect(field.getAttribute('aria-invalid')).toBe('true');
  const note = document.getElementById(field.getAttribute('aria-describedby') ?? '');
  expect(note?.textContent).toBe('Use a dash instead of the space.');
  expect(note?.querySelector('svg')).not.toBeNull();
});

test('without an error the hint describes the field and it is valid', () => {
  render(<TextField label="Name" hint="Letters and dashes." />);
  const field = screen.getByLabelText('Name');

  expect(field.hasAttribute('aria-invalid')).toBe(false);
  expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'Letters and dashes.',
  );
});

test('nothing is offered for an id and nothing of it corrected, unless the field says so', () => {
  render(
    <>
      <TextField label="Address" mono />
      <TextField label="Code" mono autoComplete="one-time-code" />
      <TextField label="Description" />
    </>,
  );
  const saysOf = (label: string) =>
    ['autocomplete', 'autocapitalize', 'spellcheck'].map((name) => screen.getByLabelText(label).getAttribute(name));

  expect(saysOf('Address')).toEqual(['off', 'off', 'false']);
  expect(saysOf('Code')).toEqual(['one-time-code', 'off', 'false']);
  expect(saysOf('Description')).toEqual([null, null, null]);
});

test('a password is hidden until it is asked for, in the words of the application', async () => {
  render(
    <DesignWordsProvider words={{ showPassword: 'Passwort zeigen' }}>
      <TextField type="password" label="Password" />
    </DesignWordsProvider>,
  );
  const field = screen.getByLabelText('Password');
  expect(field.getAttribute('type')).toBe('password');

  await userEvent.click(screen.getByLabelText('Passwort zeigen'));
  expect(field.getAttribute('type')).toBe('text');
  await userEvent.click(screen.getByLabelText('Hide password'));
  expect(field.getAttribute('type')).toBe('password');
});

function Search({ onValue }: { onValue: (value: string) => void }) {
  const [value, setValue] = useState('');
  const change = (next: string) => {
    setValue(next);
    onValue(next);
  };
  return (
    <TextField
      type="search"
      label="Search"
      focusKey="/"
      value={value}
      onValueChange={change}
      onClear={() => change('')}
    />
  );
}

test('the key of a search field brings the focus there and is not typed; Clear empties it and stays', async () => {
  const onValue = vi.fn();
  render(<Search onValue={onValue} />);
  const field = screen.getByLabelText('Search');

  await userEvent.keyboard('/');
  expect(document.activeElement).toBe(field);
  await userEvent.keyboard('a/b');
  expect(onValue).toHaveBeenLastCalledWith('a/b');
  await userEvent.click(screen.getByLabelText('Clear'));

  expect(onValue).toHaveBeenLastCalledWith('');
  expect(document.activeElement).toBe(field);
});
