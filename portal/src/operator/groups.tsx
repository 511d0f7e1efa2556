export const GroupsPage = () => null;
