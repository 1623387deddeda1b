export { createNotificationKind } from './deliver.ts';
export { createNotificationService, type NotificationService } from './endpoints.ts';
export { type NotificationFacts, recordNotification } from './record.ts';
export { startNotificationSweeper } from './sweep.ts';
