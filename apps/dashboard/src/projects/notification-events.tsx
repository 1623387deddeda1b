import { type NotificationEvent, notificationEvents } from '@offprint/contract';
import { Checkbox } from '../ui/index.ts';

export const EVENT_LABELS: Readonly<Record<NotificationEvent | 'test', string>> = {
  'export.failed': 'An export failed',
  'deployment.succeeded': 'A deployment is live',
  'deployment.failed': 'A deployment failed',
  'agent_job.finished': 'An agent job finished',
  'agent_job.failed': 'An agent job failed',
  'domain.unverified': 'A domain can no longer be verified',
  'certificate.expiring': 'A certificate expires soon',
  test: 'Test',
};

/** Checkboxes named `events`, one for each event. */
export function EventFields({
  legend,
  chosen,
  disabled,
}: {
  legend: string;
  chosen: readonly NotificationEvent[];
  disabled: boolean;
}) {
  return (
    <fieldset className="space-y-2.5">
      <legend className="mb-2 font-medium text-sm">{legend}</legend>
      {notificationEvents.map((event) => (
        <Checkbox
          key={event}
          name="events"
          value={event}
          label={EVENT_LABELS[event]}
          defaultChecked={chosen.includes(event)}
          disabled={disabled}
        />
      ))}
    </fieldset>
  );
}

export function eventsOf(values: FormData): NotificationEvent[] {
  const names = values.getAll('events');
  return notificationEvents.filter((event) => names.includes(event));
}
