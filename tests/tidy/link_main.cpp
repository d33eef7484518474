// Nothing but a main: what a link test checks is that its library links with its declared
// dependencies alone.
int main() {}
