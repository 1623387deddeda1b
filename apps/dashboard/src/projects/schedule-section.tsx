import type { Automation, Project } from '@offprint/contract';
import { useState } from 'react';
import { Button, Field, Form, FormActions, Input, Section, Select, Time, useGate } from '../ui/index.ts';
import { useUpdateAutomation } from './automation-data.ts';
import { describeCron, isTimeZone, nextTimes, parseCron } from './cron.ts';

const PRESETS: { cron: string; label: string }[] = [
  { cron: '0 6 * * *', label: 'Every day at 06:00' },
  { cron: '0 6 * * 1-5', label: 'Monday to Friday at 06:00' },
  { cron: '0 6 * * 1', label: 'Every Monday at 06:00' },
  { cron: '0 * * * *', label: 'Every hour' },
  { cron: '0 6 1 * *', label: 'On the 1st of the month at 06:00' },
];

export function ScheduleSection({ project, automation }: { project: Project; automation: Automation }) {
  const reason = useGate({ role: 'editor' });
  const update = useUpdateAutomation(project, automation, 'Schedule saved.');
  const { schedule } = automation;
  const [cron, setCron] = useState(schedule?.cron ?? PRESETS[1]!.cron);
  const [timeZone, setTimeZone] = useState(
    schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC',
  );
  const [isOpen, setOpen] = useState(schedule !== null);
  const read = parseCron(cron);
  const isZone = isTimeZone(timeZone);
  const isSame = schedule !== null && schedule.cron === cron.trim() && schedule.timeZone === timeZone;

  return (
    <Section title="Schedule" description="An export starts at the times of a cron expression.">
      {!isOpen ? (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-card border p-4 text-sm">
          <span className="text-muted">No schedule.</span>
          <Button look="quiet" reason={reason} onClick={() => setOpen(true)}>
            Set a schedule
          </Button>
        </div>
      ) : (
        <Form
          error={update.error}
          className="max-w-180"
          onSubmit={() => {
            if (typeof read !== 'string' && isZone)
              update.mutate({ schedule: { cron: cron.trim().replaceAll(/\s+/g, ' '), timeZone } });
          }}
        >
          {schedule?.nextAt != null && (
            <p className="text-sm">
              The next export starts <Time at={schedule.nextAt} />.
            </p>
          )}
          <fieldset disabled={reason !== null} className="space-y-5">
            <Field label="When">
              {(control) => (
                <Select
                  {...control}
                  value={PRESETS.some((preset) => preset.cron === cron) ? cron : ''}
                  onChange={({ target }) => target.value !== '' && setCron(target.value)}
                >
                  {PRESETS.map((preset) => (
                    <option key={preset.cron} value={preset.cron}>
                      {preset.label}
                    </option>
                  ))}
                  <option value="">Custom cron expression</option>
                </Select>
              )}
            </Field>
            <div className="grid gap-5 sm:grid-cols-2">
              <Field
                label="Cron expression"
                param="/schedule/cron"
                error={typeof read === 'string' ? read : null}
                help="Minute, hour, day of month, month, day of week."
              >
                {(control) => (
                  <Input
                    {...control}
                    value={cron}
                    onChange={({ target }) => setCron(target.value)}
                    maxLength={100}
                    spellCheck={false}
                    autoComplete="off"
                    className="font-mono"
                  />
                )}
              </Field>
              <Field
                label="Time zone"
                param="/schedule/timeZone"
                error={isZone ? null : 'Unknown time zone. Use a name such as Europe/Berlin or UTC.'}
                help="Daylight saving time is taken into account."
              >
                {(control) => (
                  <>
                    <Input
                      {...control}
                      value={timeZone}
                      onChange={({ target }) => setTimeZone(target.value)}
                      list={`${control.id}-zones`}
                      spellCheck={false}
                      autoComplete="off"
                    />
                    <datalist id={`${control.id}-zones`}>
                      {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
                        <option key={zone} value={zone} />
                      ))}
                    </datalist>
                  </>
                )}
              </Field>
            </div>
          </fieldset>
          {typeof read !== 'string' && isZone && <Foretold cron={read} timeZone={timeZone} />}
          <FormActions>
            {schedule !== null ? (
              <Button
                look="quiet"
                reason={reason}
                busy={update.isPending}
                onClick={() => update.mutate({ schedule: null })}
              >
                Remove schedule
              </Button>
            ) : (
              <Button look="quiet" onClick={() => setOpen(false)}>
                Cancel
              </Button>
            )}
            <Button
              type="submit"
              reason={reason}
              busy={update.isPending}
              disabled={isSame || typeof read === 'string' || !isZone}
            >
              Save schedule
            </Button>
          </FormActions>
        </Form>
      )}
    </Section>
  );
}

/** The expression in words, with its next times on the clocks of its time zone. */
function Foretold({
  cron,
  timeZone,
}: {
  cron: Exclude<ReturnType<typeof parseCron>, string>;
  timeZone: string;
}) {
  const times = nextTimes(cron, timeZone, new Date(), 3);
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (
    <div role="status" className="rounded-card border bg-raised p-4 text-sm">
      <p className="font-medium">{describeCron(cron)}</p>
      {times.length === 0 ? (
        <p className="mt-1 text-warning">The expression matches no time in the next eight years.</p>
      ) : (
        <p className="mt-1 text-muted">
          Next: {times.map((time) => format.format(time)).join('; ')} ({timeZone}).
        </p>
      )}
    </div>
  );
}
