/** Whether an id may become part of a URL path: an id from the service must not lead out of that path. */
export const isUsableId = (id: string): boolean => /^(?!\.+$)[\w.:~-]{1,200}$/.test(id)
